/** What the contract of the store says about tasks; both engines run it. */
import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import type { NewTask, TaskRecord } from '../../../runtime/capabilities/tasks/task-record.ts'
import { hourMs, type Opened, start } from '../support.ts'

const room = { kept: 100, unfinished: 100, ownerBytes: 1_000_000, allBytes: 1_000_000 }
const key = (id: string): string => createHash('sha256').update(id).digest('hex')

const report: NewTask = {
  id: 'task-1',
  owner: 'ada at c1',
  user: 'ada',
  client: 'c1',
  grant: 'g1',
  tool: 'reports_make',
  status: 'working',
  expiresAt: start + hourMs,
  runner: 'process 1',
  leaseUntil: start + 30_000,
  message: null,
  args: '{"year":2026}',
  location: null,
  input: null,
  headers: null,
}

const { id: _id, headers: _headers, ...stated } = report
const created: TaskRecord = {
  ...stated,
  key: key('task-1'),
  createdAt: start,
  updatedAt: start,
  revision: 1,
  outcome: null,
}

async function made(t: Test, { store }: Opened, task: NewTask = report): Promise<TaskRecord> {
  const found = await store.createTask(task, room)
  if (found === null) throw new Error('there is no room')
  t.strictSame(await store.findTask(task.id, task.owner), found)
  return found
}

export const taskCases: readonly (readonly [string, (t: Test, opened: Opened) => Promise<void>])[] = [
  [
    'createTask: found whole by its id and its owner, by nobody else, and not after its end',
    async (t, opened) => {
      t.strictSame(await made(t, opened), created)
      const { store, clock } = opened
      t.equal(await store.findTask('task-1', 'eve at c1'), null)
      t.equal(await store.findTask(created.key, report.owner), null)
      clock.now = report.expiresAt - 1
      t.strictSame(await store.findTask('task-1', report.owner), created)
      clock.now = report.expiresAt
      t.equal(await store.findTask('task-1', report.owner), null)
      t.equal(await store.purgeExpired(), 1)
    },
  ],
  [
    'createTask: no more of one owner than there is room for; those that ended count until they expire',
    async (t, { store, clock }) => {
      const add = async (id: string, owner = report.owner) =>
        (await store.createTask({ ...report, id, owner }, { ...room, kept: 3, unfinished: 2 })) !== null
      t.strictSame(
        [await add('1'), await add('2'), await add('3'), await add('3', 'eve')],
        [true, true, false, true],
      )
      const first = await store.findTask('1', report.owner)
      if (first !== null) await store.changeTask(first, { status: 'completed' })
      t.strictSame([await add('4'), await add('5')], [true, false])
      clock.now = report.expiresAt
      t.equal(await add('6'), true)
    },
  ],
  [
    'createTask: none where the results that are kept, of the owner or of all, have as many bytes as they may',
    async (t, { store, clock }) => {
      const add = async (id: string, owner: string, more: object) =>
        store.createTask({ ...report, id, owner }, { ...room, ...more })
      const first = await add('1', 'ada', {})
      if (first !== null)
        await store.changeTask(first, { status: 'completed', outcome: `"${'é'.repeat(499)}"` })
      t.equal(await add('2', 'ada', { ownerBytes: 1000 }), null)
      t.not(await add('3', 'eve', { ownerBytes: 1000 }), null, 'another owner')
      t.not(await add('4', 'ada', { ownerBytes: 1001 }), null)
      clock.now += 10_000
      t.equal(await add('5', 'eve', { allBytes: 1000 }), null)
      t.not(await add('6', 'eve', { allBytes: 1001 }), null)
      clock.now = report.expiresAt
      t.not(await add('7', 'ada', { ownerBytes: 1000, allBytes: 1000 }), null, 'the result has gone')
    },
  ],
  [
    'createTask: the bytes of all results are asked for every 10 s, though the clock is set back or forward',
    async (t, { store, clock, open }) => {
      for (const wrongBy of [-1_800_000, 1_800_000]) {
        let set = 0
        const measuring = await open({ clock: () => clock.now + set, monotonic: () => clock.now })
        const add = async (id: string) =>
          (await measuring.createTask({ ...report, id: `${id}${wrongBy}` }, { ...room, allBytes: 1000 })) !==
          null
        const first = await store.createTask({ ...report, id: `result${wrongBy}` }, room)
        t.equal(await add('before'), true)
        const outcome = `"${'x'.repeat(998)}"`
        const kept = first && (await store.changeTask(first, { status: 'completed', outcome }))
        set = wrongBy
        clock.now += 9_999
        t.equal(await add('remembered'), true, `${wrongBy}`)
        clock.now += 1
        t.equal(await add('asked'), false, `${wrongBy}`)
        if (kept !== null) await store.changeTask(kept, { outcome: null })
      }
    },
  ],
  [
    'changeTask: of the newest revision alone, by one of many, on every instance',
    async (t, opened) => {
      const task = await made(t, opened)
      const other = await opened.open()
      opened.clock.now = start + 5
      const input = JSON.stringify({ round: 1, surrogate: '\ud800', zero: '\0' })
      const parked = await other.changeTask(task, {
        status: 'input_required',
        runner: null,
        leaseUntil: null,
        input,
      })
      const expected = { ...task, status: 'input_required', runner: null, leaseUntil: null, input }
      t.strictSame(parked, { ...expected, revision: 2, updatedAt: start + 5 })
      t.strictSame(await opened.store.findTask('task-1', report.owner), parked)
      t.equal(await opened.store.changeTask(task, { status: 'failed' }), null)
      const claims = await Promise.all(
        [1, 2, 3, 4, 5, 6].map((count) =>
          (count % 2 === 0 ? other : opened.store).changeTask(parked ?? task, {
            runner: `process ${count}`,
            status: 'working',
          }),
        ),
      )
      t.equal(claims.filter((claim) => claim !== null).length, 1)
      const change = {
        status: 'completed',
        args: null,
        outcome: '{}',
        message: 'ready',
        location: '/a',
      } as const
      const [claimed] = claims.filter((claim) => claim !== null)
      const ended = await other.changeTask(claimed ?? task, change)
      t.strictSame(await opened.store.findTask('task-1', report.owner), ended)
      t.match(ended, { ...change, revision: 4 })
    },
  ],
  [
    "renewTasks: the lease of what a process works on, and of nothing else; it says what is still that process's",
    async (t, opened) => {
      const { store } = opened
      const tasks = []
      for (const id of ['1', '2', '3']) tasks.push(await made(t, opened, { ...report, id }))
      await made(t, opened, { ...report, id: '4', runner: 'process 2' })
      const [, second] = tasks
      if (second !== undefined) await store.changeTask(second, { status: 'cancelled' })
      await made(t, opened, { ...report, id: '5' }) // it never heard that it got it
      t.strictSame(await store.renewTasks('process 1', [], start + 60_000), [])
      const keys = ['1', '2', '3', '4'].map(key)
      const renewed = await store.renewTasks('process 1', keys, start + 60_000)
      t.strictSame([...renewed].sort(), [key('1'), key('3')].sort())
      const leases = []
      for (const id of ['1', '2', '3', '4', '5']) {
        const task = await store.findTask(id, report.owner)
        leases.push([task?.leaseUntil, task?.revision])
      }
      t.strictSame(leases, [
        [start + 60_000, 1],
        [start + 30_000, 2],
        [start + 60_000, 1],
        [start + 30_000, 1],
        [start + 30_000, 1],
      ])
    },
  ],
]
