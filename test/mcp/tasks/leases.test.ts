/** Leases of tasks, while the store or the end of the process is in trouble. */
import t from 'tap'
import type { TaskChange, TaskRecord, TaskStore } from '../../../runtime/capabilities/tasks/task-record.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { buildJobs, clientOf, heldWork, openInstances, until } from './jobs.ts'

t.setTimeout(60_000) // a busy machine

const bundle = await buildJobs()
let folders = 0

/** Two instances on one store, and a task of the first that runs; `around` gives its verbs on tasks. */
async function runningTask(
  t: Parameters<typeof openInstances>[0],
  around: (store: TaskStore) => TaskStore = (store) => store,
) {
  const databaseUrl = `sqlite:${temporaryFolder()}/${folders++}.db`
  const opened = await openInstances(t, bundle, { databaseUrl, count: 2 })
  const [here, there] = opened.all
  if (here === undefined || there === undefined) throw new Error('there are two')
  const { store } = here.application
  const { verbs } = store
  Object.assign(store, { verbs: (make: Parameters<typeof verbs>[0]) => around(verbs(make) as TaskStore) })
  const token = await opened.tokenOf('dev:ada')
  const held = heldWork()
  const { taskId } = (await clientOf(here, token).call('jobs_make', { name: 'slow' })).said
  const { clock, wrong } = opened
  return { here, clock, wrong, held, run: await held.begun(0), taskId, away: clientOf(there, token) }
}

t.test('a write of progress that hangs does not let the lease of a task run out', async (t) => {
  const writes: string[] = []
  const renewals: Promise<readonly string[]>[] = []
  let answer = (): void => {}
  const storeAnswers = new Promise<void>((resolve) => {
    answer = resolve
  })
  const { here, clock, held, run, taskId, away } = await runningTask(t, (store) => ({
    ...store,
    changeTask: async (task: TaskRecord, change: TaskChange) => {
      writes.push(change.message ?? '')
      await storeAnswers
      return store.changeTask(task, change)
    },
    renewTasks: (...lease: Parameters<TaskStore['renewTasks']>) => {
      const renewal = store.renewTasks(...lease)
      renewals.push(renewal)
      return renewal
    },
  }))
  const beats: Promise<void>[] = []
  for (let beat = 1; beat <= 4; beat += 1) {
    clock.now += 20_000
    run.progress(beat, 4, 'mixing')
    beats.push(here.beat())
    await Promise.all(renewals)
  }
  t.strictSame([writes, renewals.length], [['mixing (1 of 4)'], 4])
  const { status, statusMessage } = (await away.get(taskId)).said
  t.strictSame([status, statusMessage], ['working', undefined], 'after 80 s of a lease of 30')
  answer()
  await Promise.all(beats)
  t.match((await away.get(taskId)).said, { status: 'working', statusMessage: 'mixing (4 of 4)' })
  held.finish(0, 'at last')
  t.match(await until(away, taskId, 'completed'), { result: { structuredContent: 'at last' } })
})

const minutesMs = 55 * 60_000 // tokens are good for an hour
for (const [whose, wrongBy] of [
  ['of who runs it is set back by 55 minutes', [-minutesMs, 0]],
  ['of who runs it is set forward by 55 minutes', [minutesMs, 0]],
  ['of who is asked is set back by 55 minutes', [0, -minutesMs]],
  ['of who is asked is set forward by 55 minutes', [0, minutesMs]],
  ['of both is set back by 55 minutes', [-minutesMs, -minutesMs]],
] as const)
  t.test(
    `a task whose process lives is nobody else's, and 30 s after its death it is: the clock ${whose}`,
    async (t) => {
      const { here, clock, wrong, held, taskId, away } = await runningTask(t)
      const seen: string[] = []
      for (let beat = 1; beat <= 12; beat += 1) {
        if (beat === 2) wrong.splice(0, 2, ...wrongBy)
        if (beat === 9) wrong.fill(0)
        clock.now += 10_000
        await here.beat()
        seen.push((await away.get(taskId)).said.status)
      }
      for (const passed of [29_999, 1]) {
        clock.now += passed
        seen.push((await away.get(taskId)).said.status)
      }
      t.strictSame(seen, [...new Array<string>(13).fill('working'), 'failed'])
      held.finish(0, 'too late')
    },
  )

t.test('what fails beside the tasks at the end of a process does not cut off their own end', async (t) => {
  const { here, held, taskId, away } = await runningTask(t)
  const failed = new Error('old rows could not be deleted')
  const closed = t.rejects(here.application.close(Promise.reject(failed), 30_000), failed)
  for (const until = performance.now() + 700; performance.now() < until; ) await new Promise(setImmediate)
  held.finish(0, 'baked')
  await closed
  t.match((await away.get(taskId)).said, { status: 'completed', result: { structuredContent: 'baked' } })
})
