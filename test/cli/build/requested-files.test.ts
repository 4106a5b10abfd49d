/** `generated/client.ts`: nobody has it who did not ask, and who asked has it up to date. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { part } from '../../../cli/capabilities/client/build-part.ts'
import { watch } from '../../../cli/capabilities/dev/watch/watch.ts'
import type { Diagnostic } from '../../../cli/compiler/diagnostics/source-diagnostics.ts'
import { acmcp, built, folderOf, type Ran, write } from '../support/built-app.ts'
import { shop } from '../support/memory-host.ts'
import { typeErrorsOf } from '../support/type-check.ts'

t.setTimeout(240_000)

const settings = readFileSync('templates/project/both/tsconfig.json', 'utf8')

/** One application for all tests, which follow each other. */
const root = folderOf(t, { ...shop, 'tsconfig.json': settings })

const notes = 'app/controllers/notes.ts'
const client = 'generated/client.ts'
const others = ['routes.ts', 'paths.ts', 'openapi.yml', 'mcp.yml'].map((name) => `generated/${name}`)

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const lies = (): boolean => existsSync(join(root, client))
const edit = (path: string, from: string, to: string): void => write(root, path, read(path).replace(from, to))
const fresh: Ran = { status: 0, stdout: '', stderr: '' }

t.test('nobody has the client who did not ask for it', async (t) => {
  t.equal((await built(root)).status, 0)
  t.notOk(lies())
  const before = others.map(read)
  const { status, stdout } = acmcp(root, 'build', '--client')
  t.equal(status, 0)
  t.match(stdout, /^wrote generated\/client\.ts\n3 controllers, .*; 1 file written\n/)
  t.strictSame(others.map(read), before, 'and the others are as they were, byte by byte')
  t.strictSame(acmcp(root, 'build'), { status: 0, stdout: 'nothing changed\n', stderr: '' })
})

t.test('the application is judged with it, with the settings of a new project', async (t) => {
  const right = read('generated/client.ts')
  write(root, 'generated/client.ts', `${right}export const wrong: string = 1\n`)
  const mistakes = typeErrorsOf(join(root, 'tsconfig.json'))
  t.match(mistakes, /^\S*generated\/client\.ts\(\d+,14\): error TS2322: [^\n]*\n$/, 'and nothing else')
  write(root, 'generated/client.ts', right)
})

t.test('--check finds it stale, with the flag and without', async (t) => {
  edit(notes, 'Adds a note.', 'Adds one note.')
  for (const flags of [[], ['client']] as const) {
    const { status, stdout } = await built(root, 'check', ...flags)
    t.equal(status, 1)
    const [head, diff] = stdout.split(`+++ b/${client}\n`)
    t.match(head, `--- a/${client}\n`)
    t.match(diff, /^-.*Adds a note\.$[\s\S]*?^\+.*Adds one note\.$/m)
  }
  const { stdout: json } = await built(root, 'check', 'json')
  t.strictSame(
    JSON.parse(json)
      .diagnostics.map(({ code, at }: Diagnostic) => `${code} ${at.file}`)
      .sort(),
    [...others.slice(2), client].map((path) => `ACM303 ${path}`).sort(),
  )
  t.match(
    (await built(root, 'check', 'github', 'client')).stdout,
    '::error file=generated/client.ts,line=1,col=1,title=ACM303::generated/client.ts is stale%0A',
  )
  t.notMatch(read('generated/client.ts'), 'Adds one note.')
})

t.test('an application with an error writes nothing', async (t) => {
  const before = read(client)
  edit(notes, '@get /', '@gett /')
  t.equal((await built(root, 'client')).status, 1)
  t.equal(read(client), before)
  edit(notes, '@gett /', '@get /')
})

t.test('a build without the flag keeps it up to date', async (t) => {
  const { status, stdout } = await built(root)
  t.equal(status, 0)
  t.match(stdout, /^wrote generated\/client\.ts\n/m)
  t.match(read(client), 'Adds one note.')
  t.strictSame(await built(root, 'check'), fresh)
})

t.test('a merge conflict in it is found, and --overwrite mends it', async (t) => {
  const right = read(client)
  write(root, client, `${right}<<<<<<< HEAD\n=======\n>>>>>>> other\n`)
  const line = read('generated/client.ts').split('\n').indexOf('<<<<<<< HEAD') + 1
  for (const flags of [[], ['check'], ['client']] as const)
    t.match(
      (await built(root, ...flags)).stderr,
      `generated/client.ts:${line}:1 - error ACM304: a merge conflict is left in generated/client.ts\n`,
    )
  t.equal((await built(root, 'overwrite')).status, 0)
  t.equal(read(client), right)
})

t.test('who deletes it wants it no more', async (t) => {
  rmSync(join(root, 'generated/client.ts'))
  t.strictSame(await built(root, 'check'), fresh)
  const { status, stdout } = await built(root)
  t.equal(status, 0)
  t.match(stdout, '; 0 files written')
  t.notOk(lies())
  const requested = await built(root, 'check', 'client')
  t.equal(requested.status, 1)
  t.match(requested.stdout, '--- /dev/null\n+++ b/generated/client.ts\n')
})

t.test('--watch and dev write it, keep it, and leave it out when it is gone', async (t) => {
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
  const watching = watch({ ...rules, ...shown, cwd: root, parts: [part] }, stopping.signal, ['generated'])
  await first
  t.match(read('generated/client.ts'), 'Adds one note.')
  const next = built()
  edit(notes, 'Adds one note.', 'Adds some note.')
  await next
  t.match(read(client), 'Adds some note.')
  const last = built()
  rmSync(join(root, client))
  await last
  t.notOk(lies())
  stopping.abort()
  t.equal(await watching, 0)
})
