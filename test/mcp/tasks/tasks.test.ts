/** Tasks on both engines, and from one instance to another. Source: SEP-2663. */
import t, { type Test } from 'tap'
import { StoreUnavailable } from '../../../runtime/store/store.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { buildJobs, clientOf, heldWork, type Instances, openInstances, until, whenRequested } from './jobs.ts'

t.setTimeout(240_000) // a busy machine

const bundle = await buildJobs()
const postgres = await postgresOrNotice((text) => t.comment(text))
t.teardown(() => postgres?.stop())
let folders = 0

type Case = (t: Test, open: (count: number, limits?: object) => Promise<Instances>) => Promise<void>

/** Runs a case on each engine. */
async function onEngines(name: string, run: Case): Promise<void> {
  const engines = { SQLite: async () => `sqlite:${temporaryFolder()}/${folders++}.db` }
  const all = Object.entries(
    postgres === null ? engines : { ...engines, PostgreSQL: () => postgres.freshDatabase() },
  )
  for (const [engine, address] of all) {
    await t.test(`${engine}: ${name}`, async (t) => {
      const databaseUrl = await address()
      await run(t, (count, limits = {}) => openInstances(t, bundle, { databaseUrl, count, limits }))
    })
  }
}

/** The instances, each of which is there. */
function both({ all: [first, second] }: Instances) {
  if (first === undefined || second === undefined) throw new Error('there are two')
  return [first, second] as const
}

const created = { resultType: 'task', status: 'working', ttlMs: 7_200_000, pollIntervalMs: 1000 }
const at = '2027-01-15T08:00:00.000Z'

await onEngines(
  'a call becomes a task; its result is there for its creator, on every instance, until it ends',
  async (t, open) => {
    const opened = await open(2)
    const [here, there] = both(opened)
    const token = await opened.tokenOf('dev:ada')
    const client = clientOf(here, token)
    const held = heldWork()
    const { status, said } = await client.call('jobs_make', { name: 'a cake' })
    const { taskId, ...rest } = said
    t.strictSame([status, rest], [200, { ...created, createdAt: at, lastUpdatedAt: at }])
    t.match(taskId, /^[\w-]{32}$/)
    const run = await held.begun(0)
    t.strictSame([run.name, run.user], ['a cake', 'dev:ada'])
    const away = clientOf(there, token)
    const working = { ...rest, taskId, resultType: 'complete' }
    t.strictSame((await away.get(taskId)).said, working)
    opened.clock.now += 100_000
    run.progress(1, 3, 'mixing')
    await here.beat()
    const seen = { ...working, lastUpdatedAt: '2027-01-15T08:01:40.000Z', pollIntervalMs: 10_000 }
    t.strictSame((await away.get(taskId)).said, { ...seen, statusMessage: 'mixing (1 of 3)' })
    held.finish(0, 'baked')
    const result = { content: [{ type: 'text', text: '"baked"' }], structuredContent: 'baked' }
    t.strictSame(await until(away, taskId, 'completed'), { ...seen, status: 'completed', result })
    const ack = { status: 200, said: { resultType: 'complete' } }
    t.strictSame(await away.cancel(taskId), ack)
    t.strictSame((await client.get(taskId)).said.status, 'completed')

    const others = clientOf(here, await opened.tokenOf('dev:eve'))
    const unknown = { status: 200, said: { code: -32602, message: 'Task not found' } }
    for (const ask of [others.get, others.cancel]) t.strictSame(await ask(taskId), unknown)
    t.strictSame(await others.update(taskId, { inputResponses: {} }), unknown)
    opened.clock.now += 7_100_000
    t.strictSame(await clientOf(here, await opened.tokenOf('dev:ada')).get(taskId), unknown)
  },
)

await onEngines('a cancelled task is cancelled everywhere, and its route is told', async (t, open) => {
  const opened = await open(2)
  const [here, there] = both(opened)
  const token = await opened.tokenOf('dev:ada')
  const held = heldWork()
  for (const [number, from] of [here, there].entries()) {
    const { said } = await clientOf(here, token).call('jobs_make', { name: 'a cake' })
    const run = await held.begun(number)
    const stopped = new Promise<void>((resolve) => run.signal.addEventListener('abort', () => resolve()))
    t.strictSame((await clientOf(from, token).cancel(said.taskId)).said, { resultType: 'complete' })
    for (const instance of [here, there]) {
      const reported = (await clientOf(instance, token).get(said.taskId)).said
      t.strictSame([reported.status, 'result' in reported], ['cancelled', false])
    }
    opened.clock.now += 5_000 // nobody need have heard of it: the store is asked
    await here.beat()
    await stopped
  }
})

await onEngines(
  'a task whose process died: run again with the credentials of who asks, where that is said to be harmless; else it has failed',
  async (t, open) => {
    const opened = await open(2)
    const [here, there] = both(opened)
    const token = await opened.tokenOf('dev:ada')
    const held = heldWork()
    const client = clientOf(here, token)
    const once = (await client.call('jobs_make', { name: 'once' })).said.taskId
    await held.begun(0)
    const again = (await client.call('jobs_remake', { name: 'again' })).said.taskId
    await held.begun(1)
    const away = clientOf(there, token)
    for (const passed of [50_000, 29_999]) {
      opened.clock.now += passed
      for (const id of [once, again]) t.equal((await away.get(id)).said.status, 'working')
    }
    t.equal(held.runs.length, 2)
    opened.clock.now += 1
    const message = 'the process that ran it ended before it was done'
    const failed = (await away.get(once)).said
    t.match(failed, { status: 'failed', statusMessage: message, error: { code: -32603, message } })
    const [first, second] = await Promise.all([away.get(again), away.get(again)])
    t.strictSame([first.said.status, second.said.status], ['working', 'working'])
    t.equal((await held.begun(2)).name, 'again')
    held.finish(2, 'done there')
    t.match(await until(client, again, 'completed'), { result: { structuredContent: 'done there' } })
    held.finish(0, 'too late')
    held.finish(1, 'too late')
    await here.beat()
    t.match((await client.get(again)).said, { result: { structuredContent: 'done there' } })
    t.equal((await client.get(once)).said.status, 'failed')
    t.equal(held.runs.length, 3)
  },
)

await onEngines(
  'a task that met an outage of the store: run again where that is harmless, else failed, never completed; what a model reads is what HTTP says',
  async (t, open) => {
    const opened = await open(1)
    const [here] = opened.all
    if (here === undefined) throw new Error('there is one')
    const token = await opened.tokenOf('dev:ada')
    const client = clientOf(here, token)
    let [isAway, runs] = [true, 0]
    whenRequested(async ({ name }) => {
      runs += 1
      if (isAway) throw new StoreUnavailable()
      return name
    })
    const body = '{"error":"the store is not available"}'
    const authorization = `Bearer ${token}`
    const byHttp = await here.application.server.inject({
      method: 'POST',
      url: '/jobs/make',
      headers: { authorization, 'content-type': 'application/json' },
      payload: '{"name":"once"}',
    })
    t.strictSame([byHttp.statusCode, byHttp.headers['retry-after'], byHttp.body], [503, '5', body])
    const waiting = await clientOf(here, token, {}).call('jobs_make', { name: 'once' })
    t.strictSame(waiting.said.content, [
      { type: 'text', text: `503 Service Unavailable\nRetry-After: 5\n${body}` },
    ])
    const once = (await client.call('jobs_make', { name: 'once' })).said.taskId
    const again = (await client.call('jobs_remake', { name: 'again' })).said.taskId
    const message = 'the store is not available'
    t.match(await until(client, once, 'failed'), { statusMessage: message, error: { code: -32603, message } })
    const before = runs
    for (; runs < before + 2; await new Promise(setImmediate))
      t.equal((await client.get(again)).said.status, 'working')
    isAway = false
    t.match(await until(client, again, 'completed'), { result: { structuredContent: 'again' } })
    t.equal((await client.get(once)).said.status, 'failed')
  },
)

await onEngines('a sign of life keeps a task, however long it takes', async (t, open) => {
  const opened = await open(2)
  const [here, there] = both(opened)
  const token = await opened.tokenOf('dev:ada')
  const held = heldWork()
  const { taskId } = (await clientOf(here, token).call('jobs_make', { name: 'slow' })).said
  await held.begun(0)
  for (let beats = 0; beats < 10; beats += 1) {
    opened.clock.now += 20_000
    await here.beat()
  }
  t.equal((await clientOf(there, token).get(taskId)).said.status, 'working')
  held.finish(0, 'at last')
  t.match(await until(clientOf(there, token), taskId, 'completed'), {
    result: { structuredContent: 'at last' },
  })
})

await onEngines(
  'questions: asked in rounds, answered one by one on any instance, each key once',
  async (t, open) => {
    const opened = await open(2)
    const [here, there] = both(opened)
    const token = await opened.tokenOf('dev:ada')
    whenRequested(async ({ name }) => name)
    const client = clientOf(here, token)
    const { taskId } = (await client.call('jobs_pay')).said
    const first = await until(client, taskId, 'input_required')
    t.match(first.inputRequests, {
      '1.amount': { method: 'elicitation/create', params: { message: 'How much?' } },
    })
    const away = clientOf(there, token)
    const ack = { status: 200, said: { resultType: 'complete' } }
    t.strictSame(await away.update(taskId, { inputResponses: { amount: {}, '2.how': {} } }), ack)
    t.strictSame(Object.keys((await away.get(taskId)).said.inputRequests), ['1.amount'])
    const euros = { action: 'accept', content: { euros: 5 } }
    t.strictSame(await away.update(taskId, { inputResponses: { '1.amount': euros } }), ack)
    const second = await until(client, taskId, 'input_required')
    t.strictSame(Object.keys(second.inputRequests), ['2.how'])
    const how = { action: 'accept', content: { card: true } }
    t.strictSame(await client.update(taskId, { inputResponses: { '1.amount': how, '2.how': how } }), ack)
    const { result } = await until(away, taskId, 'completed')
    t.strictSame(JSON.parse(result.structuredContent), [how, euros])
    t.match(await client.ask('tasks/update', { taskId }), { said: { code: -32602 } })
  },
)

await onEngines(
  'a route that answers 202 with an address of its own: whoever asks for the task asks there, with their own credentials',
  async (t, open) => {
    const opened = await open(2)
    const [here, there] = both(opened)
    const token = await opened.tokenOf('dev:ada')
    const client = clientOf(here, token)
    const answers: string[] = ['202', '429', '503', 'moved', '202', '200']
    const requested: string[] = []
    whenRequested(async ({ name, user }) => {
      requested.push(`${name} ${user}`)
      return answers.shift() ?? '500'
    })
    const { said } = await client.call('jobs_order', { name: 'tea & cake' })
    t.match(said, created)
    const away = clientOf(there, token)
    for (let polls = 0; polls < 4; polls += 1) t.equal((await away.get(said.taskId)).said.status, 'working')
    const unseen = clientOf(there, await opened.tokenOf('dev:ada', 'jobs:run'))
    t.strictSame((await unseen.get(said.taskId)).status, 403, 'the address is not for this token')
    t.match((await client.get(said.taskId)).said, {
      status: 'completed',
      result: { structuredContent: { name: 'tea & cake', full: true, user: 'dev:ada' } },
    })
    t.strictSame(requested, [
      ...new Array(4).fill('tea & cake dev:ada'),
      'there dev:ada',
      'tea & cake dev:ada',
    ])

    for (const elsewhere of [
      'https://elsewhere.example/jobs/orders/x',
      '/no/route',
      'http://localhost:4000:x',
    ]) {
      const plain = (await client.call('jobs_order', { name: 'tea', at: elsewhere })).said
      t.match(plain, { resultType: 'complete', content: [{ text: '202 Accepted' }] }, elsewhere)
    }
    const { content } = (await clientOf(here, token, {}).call('jobs_order', { name: 'tea' })).said
    t.match(content, [{ text: /^202/ }], 'who knows no tasks gets the ordinary answer')
  },
)

await onEngines(
  'a server that stops: what may run again is left to the next, the rest has failed',
  async (t, open) => {
    const opened = await open(2)
    const [here, there] = both(opened)
    const token = await opened.tokenOf('dev:ada')
    const held = heldWork()
    const client = clientOf(here, token)
    const ids: string[] = []
    for (const [number, tool] of ['jobs_make', 'jobs_remake', 'jobs_make'].entries()) {
      ids.push((await client.call(tool, { name: `number ${number}` })).said.taskId)
      await held.begun(number)
    }
    const [once = '', again = '', quick = ''] = ids
    const closing = here.application.close(undefined, 500)
    held.finish(2, 'in time')
    await closing
    t.strictSame(
      held.runs.map(({ signal }) => signal.aborted),
      [true, true, false],
    )
    const away = clientOf(there, token)
    const reason = 'the server stopped before it was done'
    t.match((await away.get(once)).said, { status: 'failed', error: { code: -32603, message: reason } })
    t.match((await away.get(quick)).said, { status: 'completed', result: { structuredContent: 'in time' } })
    t.equal((await away.get(again)).said.status, 'working')
    t.equal((await held.begun(3)).name, 'number 1')
    held.finish(3, 'there')
    t.match(await until(away, again, 'completed'), { result: { structuredContent: 'there' } })
  },
)

await onEngines('no more tasks of a user than there may be', async (t, open) => {
  const opened = await open(2, { tasksPerUser: 2, keptTasksPerUser: 3 })
  const [here, there] = both(opened)
  const token = await opened.tokenOf('dev:ada')
  const held = heldWork()
  const [client, away] = [clientOf(here, token), clientOf(there, token)]
  const call = (from: typeof client, number: number) => from.call('jobs_make', { name: `${number}` })
  t.equal((await call(client, 0)).said.resultType, 'task')
  const { taskId } = (await call(away, 1)).said
  t.match(await call(client, 2), { status: 429, said: { code: 429 } })
  t.match(
    (await clientOf(here, await opened.tokenOf('dev:eve')).call('jobs_make', { name: 'x' })).said,
    created,
  )
  await away.cancel(taskId)
  t.equal((await call(client, 3)).said.resultType, 'task')
  held.finish(0, 'done')
  await client.cancel((await call(away, 4)).said.taskId ?? '')
  t.match(await call(client, 5), { status: 429 })
})
