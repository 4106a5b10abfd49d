/** One approval, one run: however many retries come at once, at two instances, over both entrances; and a task that waits. */

import t, { type Test } from 'tap'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import { approvalVerbs } from '../../runtime/capabilities/approval/verbs.ts'
import { temporaryFolder } from '../flow/support.ts'
import { clientOf, type Instance, openInstances, until } from '../mcp/tasks/jobs.ts'
import { postgresOrNotice } from '../store/postgres-server.ts'
import { deskOf } from './desk-of.ts'
import { builtOrders } from './orders.ts'

t.setTimeout(240_000) // a busy machine

const bundle = await loadBundle(await builtOrders())
const postgres = await postgresOrNotice((text) => t.comment(text))
t.teardown(() => postgres?.stop())

const engines: Readonly<Record<string, () => string | Promise<string>>> = {
  SQLite: () => `sqlite:${temporaryFolder()}/orders.db`,
  ...(postgres === null ? {} : { PostgreSQL: () => postgres.freshDatabase() }),
}

const providers = { github: { clientId: 'id', clientSecret: 'secret' } }

async function open(t: Test, databaseUrl: string) {
  const instances = await openInstances(t, bundle, { databaseUrl, count: 2, providers })
  const token = await instances.tokenOf('dev:ada', 'api')
  const overHttp = async ({ application }: Instance, id: string): Promise<number> => {
    const { statusCode } = await application.server.inject({
      ...{ method: 'DELETE', url: `/orders/${id}?amount=1` },
      headers: { authorization: `Bearer ${token}` },
    })
    return statusCode
  }
  const asTool = async (instance: Instance, id: string): Promise<number> => {
    const { said } = await clientOf(instance, token, {}).call('orders_remove', { id, amount: 1 })
    return said.isError === true ? Number.parseInt(said.content[0].text, 10) || 428 : 200
  }
  const decide = async ({ application }: Instance): Promise<void> => {
    const approvals = deskOf(application)
    for (const { row } of (await approvals?.pending('dev:ada')) ?? []) {
      const { id, digest } = row
      const decision = {
        id,
        user: 'dev:ada',
        digest,
        decision: 'approved',
        method: 'page',
        authTime: null,
      } as const
      await approvals?.decide(decision)
    }
  }
  const [here, there] = instances.all
  if (here === undefined || there === undefined) throw new Error('there are two')
  const ran = async (): Promise<readonly string[]> =>
    (await here.application.server.inject({ url: '/orders' })).json()
  return { ...instances, token, here, there, overHttp, asTool, decide, ran }
}

for (const [engine, address] of Object.entries(engines)) {
  t.test(`${engine}: fifty retries at once run once`, async (t) => {
    const { here, there, overHttp, asTool, decide, ran } = await open(t, await address())
    const before = (await ran()).length
    t.equal(await overHttp(here, engine), 428)
    await decide(there)
    const calls = Array.from({ length: 50 }, (_, at) => {
      const instance = at % 2 === 0 ? here : there
      return at % 3 === 0 ? asTool(instance, engine) : overHttp(instance, engine)
    })
    const statuses = (await Promise.all(calls)).sort()
    t.strictSame(statuses, [200, ...Array.from({ length: 49 }, () => 409)])
    t.strictSame((await ran()).slice(before), [`remove ${engine} 1`])
  })

  t.test(
    `${engine}: calls that ask at once have one row, and one that waits hears of the other instance`,
    async (t) => {
      const { here, there, overHttp, asTool, decide } = await open(t, await address())
      const asked = await Promise.all([here, there, here, there].map((instance) => overHttp(instance, 'x')))
      t.strictSame(asked, [428, 428, 428, 428])
      t.equal((await here.application.store.verbs(approvalVerbs).listApprovals({}, 10)).length, 1)
      const held = asTool(here, 'x')
      await decide(there)
      t.equal(await held, 200)
    },
  )
}

for (const [engine, address] of Object.entries(engines))
  t.test(`${engine}: a transaction of a filter does not wait for a person, nor for itself`, async (t) => {
    const { here, token, decide } = await open(t, await address())
    const send = async (method: 'GET' | 'POST', payload?: object) =>
      here.application.server.inject({
        ...{ method, url: '/ledger', ...(payload === undefined ? {} : { payload }) },
        headers: { authorization: `Bearer ${token}` },
      })
    const add = async (): Promise<number> => (await send('POST', { text: 'paid' })).statusCode
    t.equal(await add(), 428)
    t.strictSame((await send('GET')).json(), [], 'rolled back')
    await decide(here)
    const statuses = await Promise.all(Array.from({ length: 8 }, add))
    t.strictSame(statuses.sort(), [200, ...Array.from({ length: 7 }, () => 409)])
    t.strictSame((await send('GET')).json(), ['begun', 'paid'])
  })

t.test('a task waits as input_required, and goes on when its client says so', async (t) => {
  const { here, token, decide } = await open(t, 'sqlite::memory:')
  const capabilities = { elicitation: { url: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const client = clientOf(here, token, capabilities)
  const args = { id: '9', refund: { amount: 3 } }
  const { taskId } = (await client.call('orders_refund', args)).said
  const waiting = await until(client, taskId, 'input_required')
  const [key = ''] = Object.keys(waiting.inputRequests)
  t.match(waiting.inputRequests[key], { method: 'elicitation/create', params: { mode: 'url' } })
  await decide(here)
  await client.update(taskId, { inputResponses: { [key]: { action: 'accept' } } })
  const done = await until(client, taskId, 'completed')
  t.strictSame(done.result.structuredContent, { refunded: 3 })
})
