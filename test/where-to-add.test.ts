/** The checklists of where-to-add.md are all that somebody needs who adds a tag or a command: this test has nothing else, in a copy of what was
 *  compiled. */
import { spawnSync } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { transformSync } from 'esbuild'
import t from 'tap'
import { temporaryFolder } from './flow/support.ts'

/** The paths that the steps of a checklist begin with. */
function stepsOf(heading: string): readonly string[] {
  const page = readFileSync('.github/design/where-to-add.md', 'utf8')
  const [, list = ''] = page.split(`## ${heading}\n`)
  const [own = ''] = list.split('\n## ')
  return [...own.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path = '']) => path)
}

/** The package as it was compiled, in a folder of its own. */
function copyOfPackage(): string {
  const root = temporaryFolder()
  for (const side of ['dist/cli', 'dist/runtime', 'dist/templates'])
    for (const file of readdirSync(side, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(js|d\.ts)$/.test(file)) continue
      const copied = join(root, side, file)
      mkdirSync(dirname(copied), { recursive: true })
      linkSync(join(side, file), copied)
    }
  for (const name of ['package.json', 'node_modules', 'templates'])
    symlinkSync(join(process.cwd(), name), join(root, name))
  return root
}

/** Writes a source file as the compiler would, in place of the one that is there. */
function write(root: string, path: string, text: string): void {
  const { code } = transformSync(text.replaceAll(/(from|import\() ?'(\.[^']+)\.ts'/g, "$1 '$2.js'"), {
    loader: 'ts',
    format: 'esm',
  })
  const target = join(root, 'dist', path.replace(/\.ts$/, '.js'))
  mkdirSync(dirname(target), { recursive: true })
  rmSync(target, { force: true }) // another name of the file of this tree
  writeFileSync(target, code)
}

/** Adds a line to a list, and what it names. */
const withLine = (path: string, added: { readonly line: string; readonly from: string }): string => {
  const text = readFileSync(path, 'utf8')
  const listed = text.replace(/,?\s*\]\n/, `, ${added.line}]\n`)
  if (listed === text) throw new Error(`${path} has no list`)
  return `import { ${added.line} } from '${added.from}'\n${listed}`
}

const acmcp = (root: string, cwd: string, ...args: readonly string[]): ReturnType<typeof spawnSync> =>
  spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...args], { cwd, encoding: 'utf8' })

const command = `
import { addCommand } from '../command-line/add-command.ts'
import type { Add } from '../command-line/command.ts'

export const place = 9_999

export const add: Add = (program, start) => {
  addCommand(program.command('hello').description('say hello'), start, {
    examples: ['acmcp hello'],
    async run({ print }) {
      print('hello from a file')
      return 0
    },
  })
}
`

t.test('where to add: a command is the file of its checklist, and no other', async (t) => {
  const [own = '', ...others] = stepsOf('A command')
  t.strictSame([own, others], ['cli/commands/NAME.ts', ['templates/docs/reference-commands.md']])
  const root = copyOfPackage()
  write(root, own.replace('NAME', 'hello'), command)
  const { status, stdout } = acmcp(root, root, 'hello')
  t.strictSame([status, stdout], [0, 'hello from a file\n'])
  t.match(acmcp(root, root, '--help').stdout, /\n {2}hello +say hello\n/)
})

const tag = `
import type { Feature } from '../../compiler/feature.ts'
import { nearestOf } from '../../compiler/feature.ts'
import { classes, once, requests } from '../../compiler/read/language.ts'

/** The last day of a route. */
export const deprecatedUntilFeature: Feature<string, string> = {
  tag: 'deprecatedUntil',
  word: once('date', [...classes, ...requests], 'others'),
  place: 'call',
  read: (_source, tag) => tag.text,
  link: nearestOf,
  row: (date) => ({ deprecatedUntil: date }),
  lines: (date) => ({ deprecatedUntil: date }),
  operation: (date) => ({ fields: { 'x-deprecated-until': date } }),
  tool: (date) => ({ sentences: [\`It goes away on \${date}.\`] }),
}
`

const capability = `
import type { Capability } from '../../boot/capability.ts'

const dayOf = (route: object): string | undefined => Reflect.get(route, 'deprecatedUntil')

export const deprecatedUntil: Capability = {
  name: 'deprecated-until',
  isUsed: ({ bundle }) => bundle.routes.some((route) => dayOf(route) !== undefined),
  unused: 'no route has @deprecatedUntil',
  start: () => ({
    wrap: ({ route }) => {
      const day = dayOf(route)
      if (day === undefined) return []
      return [
        {
          name: 'part',
          place: 'answer',
          wrap: (finish) => async (context, answer) =>
            finish(context, { ...answer, headers: { ...answer.headers, sunset: new Date(day).toUTCString() } }),
        },
      ]
    },
  }),
}
`

const controller = `
import { ApplicationController } from 'acmcp'

/** Things. */
export class Things extends ApplicationController {
  /** Lists things.
   *  @get /
   *  @deprecatedUntil 2027-01-31
   *  @mcp root */
  list(): string[] {
    return ['first']
  }
}
`

const looked = `
import { openTestApp } from 'acmcp/testing'
const app = await openTestApp({ stale: 'allow' })
const { headers, statusCode } = await app.client().get('/things')
console.log(JSON.stringify([statusCode, headers.sunset]))
await app.close()
`

t.test('where to add: a tag is its folder and three files', async (t) => {
  const steps = stepsOf('A tag of controllers')
  t.strictSame(steps, [
    'cli/capabilities/NAME/index.ts',
    'cli/capabilities/index.ts',
    'runtime/capabilities/exports.ts',
    'templates/docs/reference-tags.md',
    'cli/capabilities/NAME/README.md',
  ])
  const serverSteps = stepsOf('A capability of the server').slice(0, 2)
  t.strictSame(serverSteps, ['runtime/capabilities/NAME/index.ts', 'runtime/capabilities/index.ts'])
  const root = copyOfPackage()
  const [featureFile = '', features = ''] = steps
  const [partFile = '', parts = ''] = serverSteps
  write(root, featureFile.replace('NAME', 'deprecated-until'), tag)
  write(
    root,
    features,
    withLine(features, { line: 'deprecatedUntilFeature', from: './deprecated-until/index.ts' }),
  )
  write(root, partFile.replace('NAME', 'deprecated-until'), capability)
  write(root, parts, withLine(parts, { line: 'deprecatedUntil', from: './deprecated-until/index.ts' }))

  const app = temporaryFolder()
  mkdirSync(join(app, 'app/controllers'), { recursive: true })
  mkdirSync(join(app, 'node_modules'))
  symlinkSync(root, join(app, 'node_modules/acmcp'))
  symlinkSync(join(process.cwd(), 'node_modules/@types'), join(app, 'node_modules/@types'))
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(app, 'app/controllers/things.ts'), controller)
  writeFileSync(
    join(app, 'app/config.ts'),
    `import { defineApp } from 'acmcp'\nexport const config = defineApp({})\n`,
  )
  const built = acmcp(root, app, 'build')
  t.equal(built.status, 0, `${built.stdout}${built.stderr}`)
  t.match(readFileSync(join(app, 'generated/openapi.yml'), 'utf8'), /x-deprecated-until: ['"]?2027-01-31/)
  const yml = readFileSync(join(app, 'generated/mcp.yml'), 'utf8')
  t.match(yml, /It goes away on 2027-01-31\./, 'the tool tells it')
  t.match(yml, /deprecatedUntil: ['"]?2027-01-31/, 'a reviewer sees it')
  writeFileSync(join(app, 'look.mjs'), looked)
  const { stdout, stderr } = spawnSync(process.execPath, ['look.mjs'], { cwd: app, encoding: 'utf8' })
  t.equal(stdout, '[200,"Sun, 31 Jan 2027 00:00:00 GMT"]\n', stderr)
})
