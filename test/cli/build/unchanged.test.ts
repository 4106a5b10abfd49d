import { existsSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { diskHost } from '../../../cli/build/disk.ts'
import { observeInputs } from '../../../cli/build/imports/observed-inputs.ts'
import { changesIn, observed } from '../../../cli/build/observations.ts'
import { readState } from '../../../cli/build/up-to-date.ts'
import { walk } from '../random/edits.ts'
import { watching } from '../random/rebuild.ts'
import { built, folderOf, write } from '../support/built-app.ts'
import { shop } from '../support/memory-host.ts'

t.setTimeout(240_000)

/** A build that begins in the millisecond in which a source was written is not remembered. */
function passMillisecondOf(path: string): void {
  while (Date.now() <= statSync(path).ctimeMs);
}

t.test('a build that says that nothing changed is right, over random edits', async (t) => {
  const { skipped, wrong } = await walk(folderOf(t, shop), 10, 20261121)
  t.strictSame(wrong, [])
  t.ok(skipped > 0, 'some builds were skipped')
})

t.test('a text of equal length with its old time is a change', async (t) => {
  const root = folderOf(t, shop)
  await built(root)
  const path = join(root, 'app/controllers/users.ts')
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replace('Tells who', 'Shows who'))
  utimesSync(path, 0, 0)
  t.notMatch((await built(root)).stdout, 'nothing changed')
  t.equal((await built(root, 'check')).status, 0)
  rmSync(join(root, 'generated/mcp.yml'))
  t.equal((await built(root, 'check')).status, 1, 'a missing file is stale')
  t.notOk(existsSync(join(root, 'generated/mcp.yml')))
})

t.test('only a file whose stamp is old enough is taken for what it was, unread', async (t) => {
  const root = folderOf(t, shop)
  const path = join(root, 'package.json')
  const first = observed(diskHost(root, () => Date.now() + 60_000))
  first.host.readFile(path)
  const read = (now: () => number): { readonly changes: number; readonly read: number } => {
    const disk = diskHost(root, now)
    let count = 0
    const readFile = (file: string): string | null => {
      count += 1
      return disk.readFile(file)
    }
    const seen = observed({ ...disk, readFile })
    const changes = changesIn(first.observations, seen.host).length
    t.equal(seen.observations.size, 1, 'either way it is recorded for the next build')
    return { changes, read: count }
  }
  const later = (): number => Date.now() + 60_000
  t.strictSame(read(later), { changes: 0, read: 0 })
  t.strictSame(read(Date.now), { changes: 0, read: 1 }, 'written a moment ago')
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text)
  t.strictSame(read(later), { changes: 0, read: 1 }, 'the same text again')
  writeFileSync(path, text.replace('shop', 'pohs'))
  utimesSync(path, 0, 0)
  t.strictSame(read(later), { changes: 1, read: 1 }, 'a text of equal length with an old time')
  rmSync(path)
  t.strictSame(read(later), { changes: 1, read: 1 }, 'gone')
})

t.test('warnings are shown again when nothing changed', async (t) => {
  const root = folderOf(t, shop)
  const silent = `import { Controller } from 'acmcp'\n\nexport class Silent extends Controller {\n  /** @get / */\n  show(): void {}\n}\n`
  write(root, 'app/controllers/silent.ts', silent)
  passMillisecondOf(join(root, 'app/controllers/silent.ts'))
  const first = await built(root)
  t.match(first.stderr, 'warning ACM206')
  t.strictSame(await built(root), { status: 0, stdout: 'nothing changed\n', stderr: first.stderr })
})

t.test('a package that comes nearer is a change', async (t) => {
  const root = folderOf(t, shop)
  await built(root)
  symlinkSync(join(root, 'node_modules'), join(root, 'app/node_modules'))
  t.notMatch((await built(root)).stdout, 'nothing changed')
})

t.test(
  'a build that is not run: an input that is gone before it is looked at does not end the watcher',
  async (t) => {
    const root = folderOf(t, shop)
    const { host } = observed(diskHost(root))
    t.notOk(observeInputs(host, [join(root, 'app/gone.ts')], Date.now() + 60_000))
  },
)

t.test('the questions about files that are gone do not stay in a session', async (t) => {
  const root = folderOf(t, shop)
  const rebuild = watching(t, root)
  const users = join(root, 'app/controllers/users.ts')
  const buildNow = async (): Promise<readonly string[]> => {
    writeFileSync(users, `${readFileSync(users, 'utf8')}\n`)
    passMillisecondOf(users)
    t.equal((await rebuild())?.status, 0)
    return (readState(root)?.observations ?? []).map(([question]) => question)
  }
  const first = await buildNow()
  const gone = [...first, ''].map((_, index) => `app/gone-${index}.ts`)
  for (const path of gone) write(root, path, 'export const one = 1\n')
  const most = await buildNow()
  for (const path of gone) rmSync(join(root, path))
  await buildNow()
  const last = await buildNow()
  t.ok(most.length > 2 * first.length)
  t.strictSame(
    last.filter((question) => question.includes('app/gone-')),
    [],
  )
  t.strictSame(new Set(last), new Set(first))
})
