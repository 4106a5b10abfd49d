/** Skills of random toolboxes, for random sets of tools that a caller may call. Source: SEP-2640. */
import { skillEntry } from '@modelcontextprotocol/server/ext/skills'
import fc from 'fast-check'
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { skillPart } from '../../../runtime/capabilities/skills/skills.ts'
import type { Catalogue } from '../../../runtime/contract/mcp.ts'
import { loadCatalogue } from '../../cli/codecs/printed.ts'
import { memoryHost } from '../../cli/support/memory-host.ts'
import { unreviewed } from '../../cli/support/reviewed-texts.ts'
import { message, rpc, serve } from '../support/support.ts'

t.setTimeout(240_000)

interface DrawnTool {
  /** Of five addresses that belong together; null = one of its own below an id. */
  readonly address: readonly [verb: string, path: string] | null
  readonly isHidden: boolean
  readonly isDeprecated: boolean
  readonly isCallable: boolean
}

const addresses = [
  ['get', '/'],
  ['post', '/'],
  ['get', '/:id'],
  ['put', '/:id'],
  ['delete', '/:id'],
] as const

const tool: fc.Arbitrary<DrawnTool> = fc.record({
  address: fc.option(fc.constantFrom(...addresses)),
  isHidden: fc.nat(4).map((count) => count === 0),
  isDeprecated: fc.boolean(),
  isCallable: fc.boolean(),
})
const drawn = fc.record({
  tools: fc.array(tool, { minLength: 1, maxLength: 7 }),
  when: fc.constantFrom('', 'Use it: "now"\u007f, \\ and # or \u200b.'),
})

/** Its name and its texts say which one it is. */
const markOf = (index: number): string => `mark${'abcdefgh'[index]}`

function methodOf(drawnTool: DrawnTool, index: number): string {
  const mark = markOf(index)
  const [verb, path] = drawnTool.address ?? ['post', `/:id/${mark}`]
  const takesId = path.includes(':id')
  const tags = [
    `@${verb} ${path}`,
    ...(drawnTool.isHidden ? ['@mcp hide'] : []),
    ...(drawnTool.isDeprecated ? ['@deprecated'] : []),
  ]
  const comment = [`Does ${mark}.`, '', ...tags].map((line) => `   * ${line}`.trimEnd()).join('\n')
  return `  /**\n${comment}\n   */\n  ${mark}(${takesId ? 'id: string' : ''}): string { throw new Error() }`
}

function sourceOf({ tools, when }: { readonly tools: readonly DrawnTool[]; readonly when: string }): string {
  const methods = tools.map(methodOf).join('\n\n')
  return `import { ApplicationController } from 'acmcp'\n\n/**\n * Things.\n *\n * @mcp skill ${when}\n */\nexport class MyThings extends ApplicationController {\n${methods}\n}\n`
}

/** A method more for an address that has one already would be an error of its own. */
function distinct(tools: readonly DrawnTool[]): readonly DrawnTool[] {
  const seen = new Set<unknown>()
  return tools.map((drawnTool) => {
    const isTaken = drawnTool.address !== null && seen.has(drawnTool.address)
    seen.add(drawnTool.address)
    return isTaken ? { ...drawnTool, address: null } : drawnTool
  })
}

t.test(
  'whatever somebody may call, the texts speak of that alone, and the manifest of the texts',
  async (t) => {
    let read = 0
    const property = fc.asyncProperty(drawn, async ({ tools: all, when }) => {
      const tools = distinct(all)
      const compilation = compile(memoryHost({ 'app/controllers/things.ts': sourceOf({ tools, when }) }))
      const wrong = compilation.diagnostics.filter(({ code }) => code !== 'ACM294')
      t.strictSame(wrong, [], JSON.stringify(wrong))
      if (compilation.files.length === 0) return
      const catalogue: Catalogue = loadCatalogue(compilation.catalogue)
      const yml = compilation.files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''
      t.strictSame(unreviewed(yml, catalogue), [])
      const marks = tools.flatMap(({ isCallable, isHidden }, index) =>
        isCallable && !isHidden ? [] : [markOf(index)],
      )
      const callable = catalogue.tools.filter(({ name }) => !marks.some((mark) => name.endsWith(mark)))
      const app = serve({
        parts: [{ endpoint: skillPart }],
        catalogue: { ...catalogue, tools: callable },
        routes: new Map(callable.map(({ route }) => [route, { verb: 'GET', path: '/' }])),
      })
      const requested = async (method: string, params = {}, headers = {}) => {
        const sent = message('modern', method, params)
        return rpc(await app({ ...sent, headers: { ...sent.headers, ...headers } })).result
      }
      const { skills } = await requested('skills/list')
      t.equal(skills.length, callable.length === 0 ? 0 : 1)
      for (const skill of skills) {
        const files: Record<string, string> = {}
        for (const { uri } of skill.resources) {
          const { contents } = await requested('resources/read', { uri }, { 'mcp-name': uri })
          const { text } = contents[0]
          files[uri.replace('skill://my-things/', '')] = text
          for (const mark of marks) t.notMatch(text, new RegExp(mark), `${uri} says nothing of ${mark}`)
          read++
        }
        t.strictSame(
          skill,
          await skillEntry('my-things', files),
          'the SDK makes the same entry of the same files',
        )
      }
    })
    await fc.assert(property, { numRuns: 40, seed: 20261123, endOnFailure: true })
    t.ok(read > 20, `${read} files were read`)
  },
)
