/** The thread that writes a file's audit: how long others wait for it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { AuditThread } from '../../../runtime/capabilities/audit/audit-thread.ts'
import type { NewAuditRecord } from '../../../runtime/contract/calls.ts'
import { unwatched } from '../../../runtime/store/health.ts'
import { StoreUnavailable } from '../../../runtime/store/store.ts'
import { openedAt, rejection, start } from '../support.ts'

/** A batch of so many users and grants: 60,000 take longer than the thread has. */
const rows = (count: number, prefix: string): readonly NewAuditRecord[] =>
  Array.from({ length: count }, (_, i) => {
    const id = `${prefix}${i}`
    return { id, at: start, entry: { event: 'sign-in', user: `u${id}`, grant: `g${id}` } }
  })

t.test(
  'a thread that does not answer gives the turn back and is told once; the next takes its place, and the end waits for neither',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'acmcp-thread-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'a.db')
    const { store } = await openedAt(`sqlite:${path}`, t)
    let turns = 0
    const told: string[] = []
    const takeTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      turns += 1
      return work().finally(() => {
        turns -= 1
      })
    }
    const thread = new AuditThread({
      path,
      patienceMs: 100,
      takeTurn,
      identity: () => null,
      health: { ...unwatched, failed: (use, cause) => void told.push(`${use}: ${(cause as Error).message}`) },
    })
    t.teardown(() => thread.close())
    await thread.append(rows(1, 'a'))
    const late = await rejection(thread.append(rows(60_000, 'b')))
    t.ok(late instanceof StoreUnavailable, String(late))
    t.equal(turns, 0)
    t.strictSame(told, ['write: the thread of the audit does not answer: another takes its place'])
    const appended = async (batch: readonly NewAuditRecord[]): Promise<void> => {
      while ((await thread.append(batch).catch(() => 'not yet')) === 'not yet'); // the one that was given up holds the lock
    }
    await appended(rows(1, 'c'))
    await appended(rows(60_000, 'b').slice(-1))
    const stored = (await store.listAudit({}, 100_000)).map(({ id }) => id)
    const ofEach = ['a0', 'b59999', 'c0'].map((wanted) => stored.filter((id) => id === wanted).length)
    t.strictSame(ofEach, [1, 1, 1], 'what comes again is there once')
    const ending = rejection(thread.append(rows(60_000, 'd')))
    await thread.close()
    t.ok((await ending) instanceof StoreUnavailable, 'who hangs at the end is not waited for')
    await store.saveUser({ id: 'u', name: 'u', email: null })
  },
)
