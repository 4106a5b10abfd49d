/** The thread that writes a file's audit: how long others wait for it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { unwatched } from '../../../runtime/store/health.ts'
import { AuditThread } from '../../../runtime/store/sqlite/audit-thread.ts'
import { StoreUnavailable } from '../../../runtime/store/store.ts'
import type { AuditRow } from '../../../runtime/store/verbs/audit-rows.ts'
import { openedAt, rejection, start } from '../support.ts'

const nothing = {
  ...{
    user_id: null,
    client_id: null,
    client_name: null,
    grant_id: null,
    tool: null,
    route: null,
    decision: null,
  },
  ...{ status: null, is_error: null, duration_ms: null, request_id: null, trace_id: null },
  ...{ arguments_digest: null, detail: null },
}

const rows = (count: number, prefix: string): readonly AuditRow[] =>
  Array.from({ length: count }, (_, i) => ({ ...nothing, id: `${prefix}${i}`, at: start, event: 'sign-in' }))

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
      patienceMs: 25,
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
