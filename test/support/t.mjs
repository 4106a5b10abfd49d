/** `npm run t -- PART …`: transpiles what changed since it last ran (esbuild, no type check) and runs the suites that have one of
 *  these in their path; alone, it only transpiles. What it writes in `dist/` is what `tsc` would, but for source maps of
 *  declarations; `npm test` compiles after it what has changed since it last did. */
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

/** As esbuild prints a relative import, at the beginning of a line or in `import(…)`; its output has another extension. */
const relativeImport =
  /(^(?:import|export)\b[^"'`]*?(?:from )?"\.{1,2}\/[^"\n]*|\bimport\("\.{1,2}\/[^"\n]*|^\} from "\.{1,2}\/[^"\n]*)\.ts"/gm

/** Sources whose compiled text is served to browsers: as `tsc` writes it. */
const isServed = (source) => source.startsWith('templates/browser/')

async function transpile(sources) {
  // not bundled: a bundle makes `var` of `const`, and hides what is used before it is there
  const { outputFiles } = await build({
    outdir: 'dist',
    outbase: '.',
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    entryPoints: sources.filter((source) => !isServed(source)),
    sourcemap: true,
    write: false,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, target: 'es2023' } },
    logLevel: 'error',
  })
  for (const { path, text } of outputFiles)
    write(path, path.endsWith('.js') ? text.replace(relativeImport, '$1.js"') : text)
  const [served, declared] = [sources.filter(isServed), sources.filter((one) => one.startsWith('runtime/'))]
  if (served.length + declared.length > 0) await compile(served, declared)
}

/** With TypeScript itself: what is served, and the declarations that applications of tests read, each from its own file
 *  (`isolatedDeclarations`). */
async function compile(served, declared) {
  const { default: ts } = await import('typescript')
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, '.')
  const compilerOptions = { ...options, module: ts.ModuleKind.ESNext } // it does not look for package.json
  const written = (source, how) =>
    how(readFileSync(source, 'utf8'), { fileName: source, compilerOptions }).outputText
  for (const source of served) write(outputOf(source), written(source, ts.transpileModule))
  for (const source of declared)
    write(outputOf(source).replace(/\.js$/, '.d.ts'), written(source, ts.transpileDeclaration))
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const sources = rooms.flatMap((room) => filesIn(room, '.ts')).filter(isCompiled)
const outputs = new Set(sources.map(outputOf))
for (const room of rooms)
  for (const stale of filesIn(join('dist', room), '.js').filter((file) => !outputs.has(file))) {
    rmSync(stale)
    rmSync('dist/.tsbuildinfo', { force: true }) // tsc believes that it is there
  }
const changed = sources.filter((source) => modified(outputOf(source)) < modified(source))
if (changed.length > 0) await transpile(changed)

const wanted = process.argv.slice(2).map((part) => part.replace(/^\.\//, '').replace(/(\.test)?\.ts$/, ''))
const { runSuites } = await import('../../dist/test/support/suites/pool.js')
const { queuesOf } = await import('../../dist/test/support/suites/queues.js')
const queues = wanted.length === 0 ? [] : queuesOf(wanted)
const count = queues.flat().length
if (wanted.length > 0 && count === 0) throw new Error(`no suite has ${wanted.join(' or ')} in its path`)

const running = new Map()
let failed = 0
await runSuites(queues, {
  jobs: Math.min(2, availableParallelism()),
  timeoutSeconds: 240,
  env: () => process.env,
  onStart: (suite) => void running.set(suite, { started: performance.now(), lines: [] }),
  onLine: (suite, line) => void running.get(suite).lines.push(line),
  onEnd(suite, end) {
    const { started, lines } = running.get(suite)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    if (end !== 'passed') {
      failed += 1
      process.stdout.write(
        `${[...lines, ...(end === 'failed' ? [] : [`ended with ${end.died}`])].join('\n')}\n`,
      )
    }
    process.stdout.write(`${end === 'passed' ? 'passed' : 'FAILED'} ${suite} (${seconds} s)\n`)
  },
})
if (count > 0) process.stdout.write(`${count - failed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
