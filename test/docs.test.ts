/** The pages that the package ships: every block is compiled or run, every command exists, every link leads somewhere.
 *
 *  Info strings: `ts app/x.ts`, `json tsconfig.json` … a file of the page's application (shown again: its next stage; under
 *  `generated/`: part of what the build writes); `ts` a sample; `ts refused ACM120` what the build refuses, and how;
 *  `http run` requests to the application and their answers; `typescript` code of other libraries; `sh needs: dev` commands
 *  to come. `test/*.test.ts` of a page is run. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { build as bundle, transform } from 'esbuild'
import t, { type Test } from 'tap'
import { parseAllDocuments } from 'yaml'
import { diskHost } from '../cli/build/disk.ts'
import { compile } from '../cli/compiler/compile.ts'
import { openTestApp } from '../runtime/testing.ts'
import { built } from './cli/support/built-app.ts'
import { typeErrorsOf } from './cli/support/type-check.ts'
import { spawnServe, temporaryFolder } from './flow/support.ts'
import {
  compilerOptions,
  fileOf,
  isGenerated,
  isMembers,
  isSample,
  linkPackages,
  moduleOf,
  stageFolder,
  write,
  writeStage,
} from './support/doc-apps.ts'
import { type Block, exchangesOf, type Page, pages, type Stage, stagesOf } from './support/doc-pages.ts'
import { freePort } from './support/free-port.ts'
import { wrongCommand } from './support/help.ts'

t.setTimeout(600_000)

const all = pages()
const root = temporaryFolder()
linkPackages(root)
t.teardown(() => spawnSync('rm', ['-r', root]))

const blocksIn = (language: string): readonly Block[] =>
  all.flatMap(({ blocks }) => blocks.filter((block) => block.language === language))

t.test('blocks are of languages that are judged, and lines are no longer than 120', async (t) => {
  const known = 'ts typescript json yaml sh http text dockerfile nginx ini toml'.split(' ')
  const odd = all.flatMap(({ blocks }) => blocks.filter(({ language }) => !known.includes(language)))
  t.strictSame(
    odd.map(({ at, language }) => `${at} ${language}`),
    [],
  )
  const long = all.flatMap(({ name, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        line.replace(/ <!-- .*/, '').length > 120 && !line.startsWith('|') ? [`${name}:${index + 1}`] : [],
      ),
  )
  t.strictSame(long, [])
})

t.test('links lead to a page of the package, and to a heading that it has', async (t) => {
  const broken = all.flatMap(({ name, prose }) =>
    prose.flatMap(({ line, number }) =>
      [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) =>
        isBroken(name, target) ? [`${name}:${number} ${target}`] : [],
      ),
    ),
  )
  t.strictSame(broken, [])
  const index = all.find(({ name }) => name === 'README')
  const unlisted = all.filter(
    ({ name }) => name !== 'README' && index?.text.includes(`](${name}.md)`) !== true,
  )
  t.strictSame(
    unlisted.map(({ name }) => name),
    [],
    'the index lists every page',
  )
})

function isBroken(from: string, target: string): boolean {
  if (/^https:\/\//.test(target)) return false
  const [file = '', anchor] = target.split('#')
  const name = file === '' ? from : file.replace(/\.md$/, '')
  const page = all.find((item) => item.name === name)
  if (page === undefined) return true
  return anchor !== undefined && !headingsOf(page).includes(anchor)
}

const headingsOf = ({ prose }: Page): readonly string[] =>
  prose.flatMap(({ line }) => {
    const title = /^#+ (.*)$/.exec(line)?.[1]
    return title === undefined
      ? []
      : [
          title
            .toLowerCase()
            .replace(/[^\w\s-]/g, '')
            .replaceAll(' ', '-'),
        ]
  })

t.test('every command and flag exists, but for those that are marked as to come', async (t) => {
  const isMarked = (line: string): boolean => /<!-- needs: [a-z, ]+ -->$/.test(line)
  const lines = all.flatMap(({ name, prose }) =>
    prose
      .filter(({ line }) => !isMarked(line))
      .flatMap(({ line, number }) =>
        [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => ({ at: `${name}.md:${number}`, line: code })),
      ),
  )
  const scripts = blocksIn('sh')
    .filter(({ about }) => !about.startsWith('needs: '))
    .flatMap(({ at, text }) => text.split('\n').map((line) => ({ at, line })))
  const wrong = [...lines, ...scripts].flatMap(({ at, line }) => {
    const why = wrongCommand(line)
    return why === null ? [] : [`${at} ${why}`]
  })
  t.strictSame(wrong, [])
})

t.test('JSON, YAML and the code of other libraries can be read', async (t) => {
  const tsconfigRaw = { compilerOptions: { experimentalDecorators: true } } // which tsoa needs
  for (const { at, text } of blocksIn('typescript'))
    await t.resolves(transform(text, { loader: 'ts', tsconfigRaw }), at)
  for (const { at, text } of blocksIn('json')) t.doesNotThrow(() => JSON.parse(text), at)
  for (const { at, text } of blocksIn('yaml'))
    t.strictSame(
      parseAllDocuments(text).flatMap((document) => ('errors' in document ? document.errors : [])),
      [],
      at,
    )
})

interface Shown {
  readonly page: Page
  readonly stage: Stage
  readonly folder: string
}

const stages: readonly Shown[] = all.flatMap((page) =>
  stagesOf(page).map((stage, index) => ({ page, stage, folder: stageFolder(root, page, index) })),
)

for (const { page, stage, folder } of stages) {
  t.test(
    `the application of ${folder.slice(root.length + 1)} builds, and does what the page shows`,
    async (t) => {
      writeStage(folder, stage)
      const { status, stderr } = await built(folder, ...requestedBy(stage))
      t.strictSame([status, stderr], [0, ''], page.name)
      if (status !== 0) return
      for (const [path, text] of Object.entries(stage.files).filter(([path]) => isGenerated(path)))
        t.ok(
          readFileSync(join(folder, path), 'utf8').includes(text.trim()),
          `${path} holds what ${page.name} shows`,
        )
      await runExchanges(t, folder, stage)
      await runTests(t, folder, stage)
    },
  )
}

/** `client` where its blocks import the file that is written on request. */
const requestedBy = ({ files }: Stage): readonly 'client'[] =>
  Object.values(files).some((text) => text.includes("/generated/client.ts'")) ? ['client'] : []

async function runExchanges(t: Test, cwd: string, { blocks }: Stage): Promise<void> {
  const runs = blocks.filter(({ language, about }) => language === 'http' && about === 'run')
  if (runs.length === 0) return
  const repository = process.cwd()
  process.chdir(cwd) // relative paths of the application are those of its folder
  t.teardown(() => process.chdir(repository))
  const app = await openTestApp({ cwd })
  t.teardown(app.close)
  const token = runs.some(({ text }) => text.includes('Bearer TOKEN')) ? await app.accessToken() : ''
  for (const run of runs) {
    for (const { method, target, headers, body, status, answerHeaders, answer } of exchangesOf(run)) {
      const isForm = headers['content-type']?.startsWith('multipart/') === true
      const response = await app.client().request({
        method: method as 'GET', // or another one of those that it knows
        url: target,
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [
            name,
            value.replace('Bearer TOKEN', `Bearer ${token}`),
          ]),
        ),
        ...(body === '' ? {} : { payload: isForm ? `${body.replaceAll('\n', '\r\n')}\r\n` : body }),
      })
      const got = Object.fromEntries(Object.keys(answerHeaders).map((name) => [name, response.headers[name]]))
      t.strictSame(
        [response.statusCode, got, readable(response.body)],
        [status, answerHeaders, readable(answer)],
        `${run.at} ${method} ${target}`,
      )
    }
  }
}

/** JSON whatever its blanks. */
function readable(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.trim()
  }
}

/** The page's own tests, in a process of their own. */
async function runTests(t: Test, folder: string, { files }: Stage): Promise<void> {
  const tests = Object.keys(files).filter((path) => path.endsWith('.test.ts'))
  if (tests.length === 0) return
  const entryPoints = tests.map((path) => join(folder, path))
  const outdir = join(folder, 'test-out')
  const output = { outdir, outExtension: { '.js': '.mjs' }, logLevel: 'silent' } as const
  await bundle({
    entryPoints,
    ...output,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  })
  const built = readdirSync(outdir, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.mjs'),
  )
  const script = built.map((file) => `await import('./test-out/${file}')`).join('\n')
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--test-reporter=tap', '--input-type=module', '-e', script],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  )
  const count = Number(/^# tests (\d+)$/m.exec(stdout)?.[1])
  t.strictSame([status, count >= tests.length], [0, true], stdout)
}

t.test('TypeScript, strict, has nothing against applications, what is generated, and samples', async (t) => {
  write(root, 'package.json', '{"name":"pages","type":"module"}')
  for (const { name, blocks } of all) {
    const samples = blocks.filter(
      (block) => isSample(block) && !(isMembers(block) && stages.some(({ page }) => page.name === name)),
    )
    samples.forEach((block, index) => {
      const text = isMembers(block) ? fileOf(block, index) : moduleOf(block)
      write(root, `samples/${name}-${index + 1}.ts`, text)
    })
  }
  const include = [
    'samples',
    ...['app', 'generated', 'test', 'web', 'agent'].flatMap((name) =>
      stages.map(({ folder }) => `${folder}/${name}`),
    ),
  ]
  write(root, 'tsconfig.json', JSON.stringify({ compilerOptions, include }))
  t.ok(blocksIn('ts').length > 3)
  t.equal(typeErrorsOf(join(root, 'tsconfig.json')), '')
})

t.test('what a page says is refused is refused, with these codes', async (t) => {
  const refused = blocksIn('ts').filter(({ about }) => about.startsWith('refused '))
  const folder = join(root, 'refused')
  writeStage(folder, { files: {}, blocks: [] })
  refused.forEach((block, index) => {
    write(folder, `app/controllers/refused-${index}.ts`, fileOf(block, index))
  })
  if (refused.length === 0) return
  const { diagnostics } = compile(diskHost(folder))
  refused.forEach(({ at, about }, index) => {
    const found = diagnostics.filter(
      (diagnostic) => diagnostic.at.file === `app/controllers/refused-${index}.ts`,
    )
    const codes = [...new Set(found.map(({ code }) => code))].sort().join(' ')
    t.equal(codes, about.replace('refused ', ''), `${at}: ${found.map(({ message }) => message).join('; ')}`)
  })
})

t.test('the quick start, served, answers its curl lines, and a real MCP client', async (t) => {
  const [first] = stages.filter(({ page }) => page.name === 'quick-start')
  if (first === undefined) throw new Error('the page shows no application')
  const port = await freePort()
  const served = await spawnServe(first.folder, { PORT: String(port), DEV_LOGIN: '1' })
  t.teardown(() => served.process.kill('SIGKILL'))
  const { blocks } = first.stage
  const scripts = blocks.filter(({ language, text }) => language === 'sh' && text.startsWith('curl '))
  t.ok(scripts.length >= 2)
  for (const script of scripts) {
    const command = script.text.replaceAll('localhost:3000', `localhost:${port}`)
    const { stdout } = spawnSync('bash', ['-c', command], { encoding: 'utf8' })
    const expected = blocks[blocks.indexOf(script) + 1]?.text ?? ''
    t.strictSame(JSON.parse(stdout), JSON.parse(expected), script.at)
  }
  const client = new Client({ name: 'reader', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.baseUrl}/mcp`)))
  t.teardown(() => client.close())
  const ordered = await client.callTool({ name: 'orders_create', arguments: { product: 'plums' } })
  t.strictSame(ordered.structuredContent, { id: 3, product: 'plums' })
  const listed = await client.callTool({ name: 'orders_index', arguments: { limit: 1 } })
  t.strictSame(listed.structuredContent, { result: [{ id: 1, product: 'apples' }] })
})
