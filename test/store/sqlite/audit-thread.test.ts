/** The thread that writes a file's audit: how long others wait for it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { NewAuditRecord } from '../../../runtime/contract/calls.ts'
import { unwatched } from '../../../runtime/store/health.ts'
import { AuditThread } from '../../../runtime/store/sqlite/audit-thread.ts'
import { StoreUnavailable } from '../../../runtime/store/store.ts'
import { openedAt, rejection, start } from '../support.ts'

const rows = (count: number, prefix: string): readonly NewAuditRecord[] =>
  Array.from({ length: count }, (_, i) => ({ id: `${prefix}${i}`, at: start, entry: { event: 'sign-in' } }))

t.test(
  'a thread that does not answer gives the turn back, takes no more until it does, and then goes on',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'acmcp-thread-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'a.db')
    const { store } = await openedAt(`sqlite:${path}`, t)
    let turns = 0
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
      health: unwatched,
    })
    t.teardown(() => thread.close())
    await thread.append(rows(1, 'a'))
    const late = await rejection(thread.append(rows(60_000, 'b')))
    t.ok(late instanceof StoreUnavailable, String(late))
    t.equal(turns, 0)
    const refused = await rejection(thread.append(rows(1, 'c')))
    t.ok(refused instanceof StoreUnavailable)
    t.match(String((refused as StoreUnavailable).cause), /the thread of the audit does not answer/)
    const again = async (): Promise<void> =>
      thread.append(rows(1, 'd')).catch(() => new Promise(setImmediate).then(again))
    await again()
    t.equal(
      (await store.listAudit({}, 100_000)).length,
      60_002,
      'what was given to it is written all the same',
    )
  },
)
