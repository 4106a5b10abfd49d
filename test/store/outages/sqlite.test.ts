/** On SQLite: a file that is locked, read-only, full, damaged or gone is StoreUnavailable (503), never a driver's error, and works again
 *  without a restart. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import t, { type Test } from 'tap'
import { backupFile } from '../../../runtime/store/sqlite/files/backup.ts'
import { StoreBusy, StoreUnavailable } from '../../../runtime/store/store.ts'
import { openStore } from '../../support/whole-store.ts'
import { type Opened, openedAt, pair, rejection, start } from '../support.ts'
import { answers, each, filled, outages, reads, user, writes } from './outages.ts'

t.jobs = 2 // the two that wait for five seconds wait together

interface File extends Opened {
  readonly path: string
  /** Removes the database with its log. */
  remove(): void
}

async function file(t: Test): Promise<File> {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-outage-'))
  const path = join(folder, 'data', 'store.db')
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const opened = await openedAt(`sqlite:${path}`, t)
  await filled(opened)
  const remove = (): void => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
  }
  return { ...opened, path, remove }
}

t.test('decisions, SQLite: locked for a moment, a write waits while the event loop runs', async (t) => {
  const { store, path } = await file(t)
  const locker = new Libsql(path)
  t.teardown(() => locker.close())
  locker.exec('begin immediate')
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
    if (turns === 20) locker.exec('commit')
  }, 5)
  await store.saveUser({ ...user, name: 'after the lock' })
  clearInterval(timer)
  t.ok(turns >= 20, 'timers ran while the write waited')
  t.strictSame(await store.findUser('u'), { ...user, name: 'after the lock' })
})

t.test(
  'decisions, SQLite: locked for good, every waiting write ends in StoreBusy after the same five seconds',
  { buffered: true },
  async (t) => {
    const { store, path } = await file(t)
    const locker = new Libsql(path)
    t.teardown(() => locker.close())
    locker.exec('begin immediate')
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 10)
    const began = performance.now()
    const ends: number[] = []
    const waiting = ['saveUser', 'redeemCode', 'revokeToken'].map((name) =>
      rejection(writes[name]?.(store) ?? Promise.resolve()).finally(() =>
        ends.push(performance.now() - began),
      ),
    )
    t.strictSame(await answers(store, reads), each(reads, 'an answer'), 'reads do not wait')
    t.strictSame(ends, [], 'reads were answered before')
    const errors = await Promise.all(waiting)
    clearInterval(timer)
    t.ok(Math.max(...ends) < 2 * Math.min(...ends), `the waiting times do not add up: ${ends}`)
    t.ok(errors.every((error) => error instanceof StoreBusy && error.retryAfterSeconds === 1))
    t.ok(turns >= 50, 'the event loop ran all the time')
    locker.exec('commit')
    t.strictSame(await answers(store, writes), each(writes, 'an answer'))
  },
)

t.test(
  "SQLite, a verb inside an application's transaction ends in StoreBusy instead of waiting for itself",
  { buffered: true },
  async (t) => {
    const { store } = await file(t)
    const error = await rejection(store.database.transaction().execute(() => store.saveUser(user)))
    t.ok(error instanceof StoreBusy)
    await store.saveUser(user)
  },
)

t.test(
  'SQLite, deleted: 503, no empty file in its place, and on with the copy that is put back',
  async (t) => {
    const { store, path, remove } = await file(t)
    backupFile(path, `${path}.bak`)
    remove()
    t.strictSame(await answers(store, { ...writes, ...reads }), each({ ...writes, ...reads }, '503'))
    t.equal(existsSync(path), false)
    copyFileSync(`${path}.bak`, path)
    t.strictSame(await store.findUser('u'), user)
    const spent = { kind: 'replayed', grantId: 'g1', redeemedAt: start }
    t.strictSame(await store.redeemCode('code-1', pair('b')), spent)
    t.strictSame(await answers(store, { ...reads, ...writes }), each({ ...reads, ...writes }, 'an answer'))
  },
)

t.test('SQLite, deleted: a server that only reads notices', async (t) => {
  const { store, remove } = await file(t)
  await store.findUser('u')
  remove()
  while ((await store.findUser('u').catch(() => null)) !== null);
  t.ok((await rejection(store.findUser('u'))) instanceof StoreUnavailable)
})

t.test('SQLite, replaced: the new file counts; the log of the old one is not replayed into it', async (t) => {
  const { store, path } = await file(t)
  backupFile(path, `${path}.bak`)
  await store.saveUser({ ...user, name: 'only in the old file' })
  renameSync(`${path}.bak`, path)
  const error = await rejection(store.saveUser(user))
  t.ok(error instanceof StoreUnavailable)
  t.match(String((error as StoreUnavailable).cause), /-wal is still that of the old file: remove it/)
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
  t.strictSame(await store.findUser('u'), user)
  await store.saveUser({ ...user, name: 'in the new file' })
  t.strictSame(await store.findUser('u'), { ...user, name: 'in the new file' })
})

t.test('SQLite, another file in its place, or a damaged one: 503 until the store is back', async (t) => {
  const { store, path, remove } = await file(t)
  backupFile(path, `${path}.bak`)
  for (const contents of ['', 'not a database at all '.repeat(1000)]) {
    remove()
    writeFileSync(path, contents)
    t.strictSame(await answers(store, { ...writes, ...reads }), each({ ...writes, ...reads }, '503'))
  }
  remove()
  copyFileSync(`${path}.bak`, path)
  t.strictSame(await answers(store, { ...reads, ...writes }), each({ ...reads, ...writes }, 'an answer'))
})

t.test('SQLite, read-only: the store does not open, and does as soon as it may be written', async (t) => {
  const { store, path, url } = await file(t)
  await store.close()
  const folder = join(path, '..')
  const options = { url, clock: () => start, migrations: {}, migrate: 'apply' } as const
  const isRoot = process.getuid?.() === 0
  chmodSync(path, 0o444)
  chmodSync(folder, 0o555)
  chmodSync(join(folder, '..'), 0o755)
  if (isRoot) process.seteuid?.(65534) // permissions do not hold for root
  const error = await rejection(
    openStore(options).then((opened) => opened.saveUser(user).finally(() => opened.close())),
  )
  if (isRoot) process.seteuid?.(0)
  t.ok(error instanceof StoreUnavailable, String(error))
  chmodSync(path, 0o644)
  chmodSync(folder, 0o755)
  const opened = await openStore(options)
  t.strictSame(await opened.findUser('u'), user)
  await opened.saveUser(user)
  await opened.close()
})

t.test('SQLite, full: writes are 503, reads go on, and both work once there is room', async (t) => {
  if (spawnSync('prlimit', ['--version']).status !== 0) {
    if (process.env.ACMCP_NOTHING_SKIPPED === '1') t.fail('prlimit (util-linux) is missing')
    t.comment('skipped: prlimit is missing')
    return
  }
  const { open } = await file(t)
  const { reported, onOutage } = outages()
  const store = await open({ onOutage })
  const limit = (bytes: string): unknown =>
    execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`])
  const ignore = (): void => {}
  process.on('SIGXFSZ', ignore) // then a write beyond the limit fails as one on a full disk does
  t.teardown(() => process.off('SIGXFSZ', ignore))
  limit('600000')
  let written = 0
  const fill = async (): Promise<void> => {
    for (;;) await store.writeSession(`s${written++}`, { text: 'x'.repeat(50_000) }, start + 1)
  }
  const error = await rejection(fill())
  t.ok(error instanceof StoreUnavailable, String(error))
  t.strictSame(await store.findUser('u'), user)
  await rejection(fill())
  t.match(reported, [/./], 'outage: told once, although reads go on')
  t.equal(reported.length, 1)
  limit('unlimited')
  t.ok(await store.readSession('s0'), 'what was acknowledged is there')
  t.equal(await store.readSession(`s${written - 1}`), null, 'what was refused is not')
  await store.saveUser(user)
  t.strictSame(reported.slice(1), ['ended'])
  t.strictSame(await answers(store, { ...reads, ...writes }), each({ ...reads, ...writes }, 'an answer'))
})

t.test('SQLite, in its place something that cannot be opened: 503, until it is gone', async (t) => {
  const { store, path } = await file(t)
  renameSync(path, `${path}.away`)
  mkdirSync(path)
  t.ok((await rejection(store.saveUser(user))) instanceof StoreUnavailable)
  t.ok((await rejection(store.findUser(user.id))) instanceof StoreUnavailable)
  rmSync(path, { recursive: true })
  renameSync(`${path}.away`, path)
  t.strictSame(await store.findUser(user.id), user)
})
