/** What the wire says of tasks beside the suite's scenarios: who may, who cannot, and what is wrong. Source: SEP-2663. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { taskOf } from '../../../runtime/capabilities/tasks/task-record.ts'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import { wholeStore } from '../../support/whole-store.ts'
import { builtJobs, clientOf, deep, heldWork, openInstances, until, whenRequested } from './jobs.ts'

t.setTimeout(240_000) // a busy machine

const folder = await builtJobs()
const bundle = await loadBundle(folder)

async function opened(t: Test, more: object = {}) {
  const { all, tokenOf } = await openInstances(t, bundle, {
    databaseUrl: 'sqlite::memory:',
    count: 1,
    ...more,
  })
  const [only] = all
  if (only === undefined) throw new Error('there is one')
  return { only, tokenOf }
}

let mayRun = true

const capability = { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }
const unaware = { status: 400, said: { code: -32021, data: capability } }

t.test('the build says which tools are tasks, to the catalogue and to who reviews', async (t) => {
  t.strictSame(
    bundle.catalogue.tools.map((tool) => [tool.name, taskOf(tool)]),
    [
      ['jobs_make', 'optional'],
      ['jobs_remake', 'optional'],
      ['jobs_big', 'required'],
      ['jobs_pay', 'optional'],
      ['jobs_refund', 'optional'],
      ['jobs_order', undefined],
      ['jobs_stock', 'optional'],
    ],
  )
  const reviewed = readFileSync(join(folder, 'generated/mcp.yml'), 'utf8')
  t.strictSame(
    [...reviewed.matchAll(/^ +task: .*$/gm)].map(([line]) => line.trim()),
    ['optional', 'optional', 'required', 'optional', 'optional', 'optional'].map((task) => `task: ${task}`),
  )
})

t.test('a client that does not say that it knows tasks: it waits, or hears what it lacks', async (t) => {
  const { only, tokenOf } = await opened(t)
  whenRequested(async ({ name }) => `${name}!`)
  const client = clientOf(only, await tokenOf('dev:ada'), {})
  t.match(await client.call('jobs_make', { name: 'a cake' }), {
    said: { resultType: 'complete', structuredContent: 'a cake!' },
  })
  t.match(await client.call('jobs_big'), unaware)
  for (const ask of [client.get, client.cancel, client.update]) t.match(await ask('any'), unaware)
  t.match(await client.ask('subscriptions/listen', { notifications: { taskIds: ['any'] } }), unaware)
  const legacy = await only.application.server.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      authorization: `Bearer ${await tokenOf('dev:ada')}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'jobs_big', arguments: {} } },
  })
  t.match(legacy.json(), {
    result: {
      isError: true,
      content: [{ text: 'jobs_big needs a client of MCP 2026-07-28 that knows tasks' }],
    },
  })
  const discovered = (await client.ask('server/discover', {}, { 'mcp-name': '' })).said
  t.strictSame(discovered.capabilities.extensions, { 'io.modelcontextprotocol/tasks': {} })
})

t.test(
  'guards are asked at the call, at every get and at an update, with the credentials of who asks',
  async (t) => {
    const { only, tokenOf } = await opened(t)
    const held = heldWork()
    const blind = clientOf(only, await tokenOf('dev:ada', 'jobs:see'))
    t.equal((await blind.call('jobs_make', { name: 'x' })).status, 403)
    const client = clientOf(only, await tokenOf('dev:ada'))
    const { taskId } = (await client.call('jobs_make', { name: 'x' })).said
    t.equal((await held.begun(0)).user, 'dev:ada')
    t.strictSame(
      [(await blind.get(taskId)).status, (await blind.update(taskId, { inputResponses: {} })).status],
      [403, 403],
    )
    t.equal((await clientOf(only, 'none').get(taskId)).status, 401)
    t.equal(held.runs.length, 1)
    t.strictSame((await blind.cancel(taskId)).said, { resultType: 'complete' }, 'whose it is may end it')
  },
)

for (const [how, more] of [
  [
    'at an open endpoint',
    {
      mcp: { path: '/mcp', serverName: 'Jobs' },
      scopes: { 'jobs:run': 'Run jobs', 'jobs:see': 'See jobs', other: 'Other things' },
    },
  ],
  [
    'where nobody is sent to ask for more',
    {
      scopes: {
        'jobs:run': { text: 'Run jobs', mayHave: () => mayRun },
        'jobs:see': { text: 'See jobs', mayHave: () => mayRun },
        other: 'Other things',
      },
    },
  ],
] as const)
  t.test(`who may not call a tool has no task of it, ${how}`, async (t) => {
    mayRun = true
    const { only, tokenOf } = await opened(t, more)
    whenRequested(async ({ name }) => (name === 'tea' ? '200' : 'a secret'))
    const client = clientOf(only, await tokenOf('dev:ada'))
    const blind = clientOf(only, await tokenOf('dev:ada', 'other'))
    const { taskId } = (await client.call('jobs_make', { name: 'x' })).said
    t.match(await until(client, taskId, 'completed'), { result: { structuredContent: 'a secret' } })
    const order = (await client.call('jobs_order', { name: 'tea' })).said
    t.equal(order.status, 'working')
    mayRun = false
    const unknown = { code: -32602, message: 'Task not found' }
    t.strictSame((await blind.get(taskId)).said, unknown)
    t.strictSame((await blind.update(taskId, { inputResponses: {} })).said, unknown)
    t.strictSame((await blind.get(order.taskId)).said, unknown)
    t.match((await blind.call('jobs_make', { name: 'x' })).said, {
      resultType: 'complete',
      isError: true,
      content: [{ text: /^403 Forbidden/ }],
    })
    t.match(await until(client, order.taskId, 'completed'), {
      result: { structuredContent: { name: 'tea' } },
    })
  })

t.test(
  'at an open endpoint a task is for the credentials that made it, whoever has the same address',
  async (t) => {
    const { only, tokenOf } = await opened(t, { mcp: { path: '/mcp', serverName: 'Jobs' } })
    whenRequested(async () => '200')
    const client = clientOf(only, await tokenOf('dev:ada'))
    const sent = { name: 'jobs_order', arguments: { name: 'tea' } }
    const credentials = [
      { 'x-api-key': 'a' },
      { authorization: 'Bearer of another server' },
      { cookie: 'sid=1' },
    ]
    for (const own of credentials.map((credential) => ({ authorization: '', ...credential }))) {
      const { taskId } = (await client.ask('tools/call', sent, own)).said
      t.ok(taskId)
      for (const other of [{ authorization: '' }, { ...own, 'x-api-key': 'b' }])
        t.match(await client.ask('tasks/get', { taskId }, other), { said: { message: 'Task not found' } })
      t.match(await client.ask('tasks/cancel', { taskId }, { authorization: '' }), {
        said: { message: 'Task not found' },
      })
      t.match(await client.ask('tasks/cancel', { taskId }, own), { said: { resultType: 'complete' } })
    }
  },
)

t.test('what is wrong with a message about a task', async (t) => {
  const { only, tokenOf } = await opened(t)
  const client = clientOf(only, await tokenOf('dev:ada'))
  t.match(await client.ask('tasks/get', { taskId: 'a' }, { 'mcp-name': 'b' }), {
    status: 400,
    said: { code: -32020 },
  })
  t.match(await client.ask('tasks/get', { taskId: 'ä' }, { 'mcp-name': '=?base64?w6Q=?=' }), {
    said: { code: -32602, message: 'Task not found' },
  })
  t.match(await client.ask('tasks/update', { taskId: 'a' }), {
    said: { message: 'inputResponses must be an object' },
  })
  const paid = (await client.call('jobs_pay')).said.taskId
  await until(client, paid, 'input_required')
  const nested = { '1.amount': { action: 'accept', content: deep } }
  t.match(await client.update(paid, { inputResponses: nested }), {
    said: { code: -32602, message: 'inputResponses is nested too deeply' },
  })
  const { taskId } = (await client.call('jobs_remake', { name: deep })).said
  t.match(await until(client, taskId, 'completed'), { result: { isError: true } }, 'wrong as any argument')
  for (const method of ['tasks/list', 'tasks/result']) {
    t.match(await client.ask(method, { taskId: 'a' }), { status: 404, said: { code: -32601 } })
  }
})

t.test(
  'a result that is an error is a result; an error of the protocol is none; wrong arguments too',
  async (t) => {
    const { only, tokenOf } = await opened(t)
    whenRequested(async () => 'never')
    const client = clientOf(only, await tokenOf('dev:ada'))
    const wrong = (await client.call('jobs_make', { nam: 'x' })).said
    t.match(await until(client, wrong.taskId, 'completed'), {
      result: { isError: true, content: [{ text: /^400 Bad Request/ }] },
    })
    const big = (await client.call('jobs_big')).said
    t.match(await until(client, big.taskId, 'completed'), {
      result: { isError: true, content: [{ text: /^409/ }] },
    })
    const unrequested = clientOf(only, await tokenOf('dev:ada'), {
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    })
    const pay = (await unrequested.call('jobs_pay')).said
    t.match(await until(unrequested, pay.taskId, 'failed'), {
      error: { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
    })
  },
)

t.test(
  'a parameter that the user is asked for (Elicited): what does not fit is asked again, who declines ends it',
  async (t) => {
    const { only, tokenOf } = await opened(t)
    whenRequested(async ({ name }) => name)
    const client = clientOf(only, await tokenOf('dev:ada'))
    const { taskId } = (await client.call('jobs_refund')).said
    const answer = async (round: number, provided: object) => {
      t.strictSame(Object.keys((await until(client, taskId, 'input_required')).inputRequests), [
        `${round}.amount`,
      ])
      await client.update(taskId, { inputResponses: { [`${round}.amount`]: provided } })
    }
    await answer(1, { action: 'accept', content: { euros: 'many' } })
    await answer(2, { action: 'accept', content: { euros: 5 } })
    t.match(await until(client, taskId, 'completed'), { result: { structuredContent: '5' } })
    const declined = (await client.call('jobs_refund')).said
    await until(client, declined.taskId, 'input_required')
    await client.update(declined.taskId, { inputResponses: { '1.amount': { action: 'decline' } } })
    t.match(await until(client, declined.taskId, 'completed'), { result: { isError: true } })
  },
)

/** What the hook of a plugin saw. */
const hooked: string[] = []
const plugin: AppPlugin = async (app) => {
  app.addHook('onRequest', async ({ url }) => void hooked.push(url))
}

t.test(
  'behind plugins their hooks see the run and the status address; through a proxy tool the call is a task too',
  async (t) => {
    const { only, tokenOf } = await opened(t, { plugins: [plugin] })
    whenRequested(async ({ name }) => (name === 'tea' ? '200' : name))
    const client = clientOf(only, await tokenOf('dev:ada'))
    const call = { name: 'call_tool', arguments: { name: 'jobs_make', arguments: { name: 'a cake' } } }
    const { taskId } = (await client.ask('tools/call', call, { 'mcp-param-tool': 'jobs_make' })).said
    t.match(await until(client, taskId, 'completed'), { result: { structuredContent: 'a cake' } })
    const order = (await client.call('jobs_order', { name: 'tea' })).said
    t.match(await until(client, order.taskId, 'completed'), {
      result: { structuredContent: { name: 'tea' } },
    })
    t.strictSame(
      hooked.filter((url) => !/^\/(mcp|jobs\/me)/.test(url)),
      ['/jobs/make', '/jobs/orders', '/jobs/orders/tea?full=1'],
    )
  },
)

t.test('each run has its row in the audit, and none has the arguments', async (t) => {
  const { only, tokenOf } = await opened(t)
  whenRequested(async ({ name }) => name)
  const client = clientOf(only, await tokenOf('dev:ada'))
  const { taskId } = (await client.call('jobs_make', { name: 'a secret' })).said
  await until(client, taskId, 'completed')
  const { store } = only.application
  await only.beat()
  const rows = (await wholeStore(store).listAudit({ tool: 'jobs_make' }, 10)).map(
    ({ decision, status, isError, user }) => ({
      decision,
      status,
      isError,
      user,
    }),
  )
  t.strictSame(
    rows.sort((row, other) => Number(row.status) - Number(other.status)),
    [200, 202].map((status) => ({ decision: 'allowed', status, isError: false, user: 'dev:ada' })),
  )
})
