/** `npm run t -- PART …`: transpiles what changed since it last ran (esbuild, no type check) and runs the suites that have one of
 *  these in their path; alone, it only transpiles. What it writes in `dist/` is what `tsc` would, but for source maps of
 *  declarations; `npm test` compiles everything anew after it. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

const rooms = ['app', 'cli', 'generated', 'runtime', 'templates', 'test']
const isCompiled = (path) =>
  !/(^test\/.*\/|^test\/)(fixtures|golden)\/|^templates\/project\/|\.d\.ts$/.test(path)

const filesIn = (folder, end) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith(end))
        .map((file) => join(folder, file))
    : []

const outputOf = (source) => join('dist', source.replace(/\.ts$/, '.js'))
const modified = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0)

/** Imports keep their place; only the extension of a relative one becomes that of its output. */
const externalImports = {
  name: 'external-imports',
  setup: ({ onResolve }) => {
    onResolve({ filter: /.*/ }, ({ kind, path }) =>
      kind === 'entry-point'
        ? undefined
        : { path: /^\.\.?\//.test(path) ? path.replace(/\.ts$/, '.js') : path, external: true },
    )
  },
}

async function transpile(sources) {
  const common = { outdir: 'dist', outbase: '.', format: 'esm', platform: 'node', target: 'es2023' }
  await build({
    ...common,
    entryPoints: sources,
    bundle: true,
    plugins: [externalImports],
    sourcemap: true,
    treeShaking: false,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, target: 'es2023' } },
    logLevel: 'error',
  })
  await declare(sources.filter((source) => source.startsWith('runtime/')))
}

/** The declarations that applications of tests read: each from its own file (`isolatedDeclarations`). */
async function declare(sources) {
  if (sources.length === 0) return
  const { default: ts } = await import('typescript')
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, '.')
  for (const source of sources) {
    const { outputText } = ts.transpileDeclaration(readFileSync(source, 'utf8'), {
      fileName: source,
      compilerOptions: options,
    })
    const path = outputOf(source).replace(/\.js$/, '.d.ts')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, outputText)
  }
}

const sources = rooms.flatMap((room) => filesIn(room, '.ts')).filter(isCompiled)
const outputs = new Set(sources.map(outputOf))
for (const room of rooms)
  for (const stale of filesIn(join('dist', room), '.js').filter((file) => !outputs.has(file))) rmSync(stale)
const changed = sources.filter((source) => modified(outputOf(source)) < modified(source))
if (changed.length > 0) {
  rmSync('dist/.tsbuildinfo', { force: true }) // what tsc believes of these files is no longer so
  await transpile(changed)
}

const wanted = process.argv.slice(2).map((part) => part.replace(/^\.\//, '').replace(/(\.test)?\.ts$/, ''))
const suites = [...outputs].filter(
  (file) => file.endsWith('.test.js') && wanted.some((part) => file.slice('dist/'.length).includes(part)),
)
if (wanted.length > 0 && suites.length === 0)
  throw new Error(`no suite has ${wanted.join(' or ')} in its path`)

/** TAP at the left edge: assertions of nested tests are counted by their own test. */
function run(suite) {
  const started = performance.now()
  const child = spawn(process.execPath, ['--enable-source-maps', suite], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece) => {
      text += piece
    })
  return new Promise((resolve) => {
    child.on('close', (status) => {
      const failed = status !== 0 || /^ *not ok (?!.*# (TODO|SKIP))/m.test(text)
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      if (failed) process.stdout.write(text)
      process.stdout.write(`${failed ? 'FAILED' : 'passed'} ${suite} (${seconds} s)\n`)
      resolve(!failed)
    })
  })
}

let passed = 0
const queue = [...suites]
async function work() {
  for (let suite = queue.shift(); suite !== undefined; suite = queue.shift())
    if (await run(suite)) passed += 1
}
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
if (suites.length > 0) process.stdout.write(`${passed} passed, ${suites.length - passed} failed\n`)
process.exitCode = passed === suites.length ? 0 : 1
