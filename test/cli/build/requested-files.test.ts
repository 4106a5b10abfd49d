/** `generated/client.ts` and `generated/tools.ts`: nobody has them who did not ask, and who asked has them up to date. */
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { typecheck } from '../../../cli/build/typecheck.ts'
import { watch } from '../../../cli/build/watch/watch.ts'
import type { Diagnostic } from '../../../cli/compiler/diagnostics/source-diagnostics.ts'
import { acmcp, built, folderOf, type Ran, write } from '../support/built-app.ts'
import { shop } from '../support/memory-host.ts'

t.setTimeout(240_000)

const settings = readFileSync('templates/project/both/tsconfig.json', 'utf8')

/** One application for all tests, which follow each other. */
const root = folderOf(t, { ...shop, 'tsconfig.json': settings })
symlinkSync(join(process.cwd(), 'node_modules/typescript'), join(root, 'node_modules/typescript'))

const notes = 'app/controllers/notes.ts'
const requested = ['generated/client.ts', 'generated/tools.ts'] as const
const others = ['routes.ts', 'paths.ts', 'openapi.yml', 'mcp.yml'].map((name) => `generated/${name}`)

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const has = (path: string): boolean => existsSync(join(root, path))
const lies = (): readonly boolean[] => requested.map(has)
const edit = (path: string, from: string, to: string): void => write(root, path, read(path).replace(from, to))
const fresh: Ran = { status: 0, stdout: '', stderr: '' }

t.test('nobody has the files who did not ask for them', async (t) => {
  t.equal((await built(root)).status, 0)
  t.strictSame(lies(), [false, false])
  const before = others.map(read)
  const { status, stdout } = acmcp(root, 'build', '--client', '--tools')
  t.equal(status, 0)
  t.match(
    stdout,
    /^wrote generated\/client\.ts\nwrote generated\/tools\.ts\n3 controllers, .*; 2 files written\n/,
  )
  t.strictSame(others.map(read), before, 'and the others are as they were, byte by byte')
  t.strictSame(acmcp(root, 'build'), { status: 0, stdout: 'nothing changed\n', stderr: '' })
})

t.test('the application is judged with them, with the settings of a new project', async (t) => {
  const right = read('generated/client.ts')
  write(root, 'generated/client.ts', `${right}export const wrong: string = 1\n`)
  const lines: string[] = []
  t.equal(await typecheck({ cwd: root, colour: false, warn: (line) => void lines.push(line) }), 1)
  t.match(lines.join('\n'), /^generated\/client\.ts\(\d+,14\): error TS2322: [^\n]*$/, 'and nothing else')
  write(root, 'generated/client.ts', right)
})

t.test('--check finds each of them stale, with the flag and without', async (t) => {
  edit(notes, 'Adds a note.', 'Adds one note.')
  for (const flags of [[], ['client', 'tools']] as const) {
    const { status, stdout } = await built(root, 'check', ...flags)
    t.equal(status, 1)
    for (const path of requested) {
      const [head, diff] = stdout.split(`+++ b/${path}\n`)
      t.match(head, `--- a/${path}\n`)
      t.match(diff, /^-.*Adds a note\.$[\s\S]*?^\+.*Adds one note\.$/m)
    }
  }
  const { stdout: json } = await built(root, 'check', 'json')
  t.strictSame(
    JSON.parse(json)
      .diagnostics.map(({ code, at }: Diagnostic) => `${code} ${at.file}`)
      .sort(),
    [...others.slice(2), ...requested].map((path) => `ACM303 ${path}`).sort(),
  )
  t.match(
    (await built(root, 'check', 'github', 'client')).stdout,
    '::error file=generated/client.ts,line=1,col=1,title=ACM303::generated/client.ts is stale%0A',
  )
  t.notMatch(read('generated/client.ts'), 'Adds one note.')
})

t.test('an application with an error writes nothing', async (t) => {
  const before = requested.map(read)
  edit(notes, '@get /', '@gett /')
  t.equal((await built(root, 'client', 'tools')).status, 1)
  t.strictSame(requested.map(read), before)
  edit(notes, '@gett /', '@get /')
})

t.test('a build without the flags keeps them up to date', async (t) => {
  const { status, stdout } = await built(root)
  t.equal(status, 0)
  t.match(stdout, /^wrote generated\/client\.ts\nwrote generated\/tools\.ts\n/m)
  for (const path of requested) t.match(read(path), 'Adds one note.')
  t.strictSame(await built(root, 'check'), fresh)
})

t.test('a merge conflict in them is found, and --overwrite mends it', async (t) => {
  const right = requested.map(read)
  for (const path of requested) write(root, path, `${read(path)}<<<<<<< HEAD\n=======\n>>>>>>> other\n`)
  const line = read('generated/client.ts').split('\n').indexOf('<<<<<<< HEAD') + 1
  for (const flags of [[], ['check'], ['client']] as const)
    t.match(
      (await built(root, ...flags)).stderr,
      `generated/client.ts:${line}:1 - error ACM304: a merge conflict is left in generated/client.ts, generated/tools.ts\n`,
    )
  t.equal((await built(root, 'overwrite')).status, 0)
  t.strictSame(requested.map(read), right)
})

t.test('who deletes one wants it no more', async (t) => {
  rmSync(join(root, 'generated/client.ts'))
  t.strictSame(await built(root, 'check'), fresh)
  const { status, stdout } = await built(root)
  t.equal(status, 0)
  t.match(stdout, '; 0 files written')
  t.strictSame(lies(), [false, true])
  const asked = await built(root, 'check', 'client')
  t.equal(asked.status, 1)
  t.match(asked.stdout, '--- /dev/null\n+++ b/generated/client.ts\n')
  rmSync(join(root, 'generated/tools.ts'))
  t.equal((await built(root)).status, 0)
  t.strictSame(lies(), [false, false])
})

t.test('--watch and dev write them, keep them, and leave out one that is gone', async (t) => {
  let heard = (_line: string): void => {}
  const built = (): Promise<void> =>
    new Promise((resolve) => {
      heard = (line) => {
        if (line.includes(' routes')) resolve()
      }
    })
  const stopping = new AbortController()
  const shown = {
    format: 'text',
    colour: false,
    print: (line: string) => heard(line),
    warn: () => {},
  } as const
  const rules = { check: false, overwrite: false, typecheck: false, strict: false, openapi: '3.1' } as const
  write(root, 'generated/client.ts', '')
  const first = built()
  const watching = watch({ ...rules, ...shown, cwd: root, tools: true }, stopping.signal, ['generated'])
  await first
  t.match(read('generated/client.ts'), 'Adds one note.')
  const next = built()
  edit(notes, 'Adds one note.', 'Adds some note.')
  await next
  for (const path of requested) t.match(read(path), 'Adds some note.')
  const last = built()
  for (const path of requested) rmSync(join(root, path))
  await last
  t.strictSame(lies(), [false, true], 'the flag asks for it again')
  stopping.abort()
  t.equal(await watching, 0)
})
