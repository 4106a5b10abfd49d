/** The generated client says that a person must approve, or waits for them. */

import t, { type Test } from 'tap'
import { approvalVerbs } from '../../runtime/capabilities/approval/verbs.ts'
import { buildWithClient, loadClient } from '../cli/client/served-client.ts'
import { ada, type OpenOptions, openOrders } from './orders.ts'

t.setTimeout(240_000) // a busy machine

async function open(t: Test, options: OpenOptions = {}) {
  const opened = await openOrders(options)
  t.teardown(() => opened.app.close())
  const text = await buildWithClient(opened.folder)
  const { createClient } = await loadClient(opened.folder, text)
  const { server } = opened.app.application
  const api = createClient({
    baseUrl: opened.app.baseUrl,
    token: opened.token,
    // no time passes between two tries
    fetch: async (url: string, { method, headers, body }: RequestInit) => {
      const sent = { method: method as 'GET', url, headers: Object.fromEntries(new Headers(headers)) }
      const answer = await server.inject({ ...sent, ...(typeof body === 'string' ? { payload: body } : {}) })
      const status = answer.statusCode
      const own = { ...Object(answer.headers), ...(status === 428 ? { 'retry-after': '0' } : {}) }
      return new Response(answer.body, { status, headers: own })
    },
  })
  return { opened, api }
}

t.test('without anybody who waits it throws what a person needs', async (t) => {
  const { opened, api } = await open(t)
  const error = await api.orders?.remove?.({ id: '5', amount: 1n }).catch((thrown: unknown) => thrown)
  const [row] = await opened.app.application.store.verbs(approvalVerbs).listApprovals({ user: ada.id }, 1)
  t.match(error, {
    name: 'ApprovalRequired',
    url: `${opened.app.baseUrl}/auth/approvals/${row?.id}`,
    expiresAt: new Date('2026-11-27T10:10:00Z'),
  })
})

t.test('with onApprovalAsked it waits, and tells once', async (t) => {
  const { opened, api } = await open(t, { clock: { now: Date.now() } }) // the client has a clock of its own
  const asked: string[] = []
  const decide = (decision: 'approved' | 'denied') => (approval: { readonly url: string }) => {
    asked.push(approval.url)
    void opened.decide(decision)
  }
  const done = await api.orders?.remove?.({ id: '5', amount: 1 }, { onApprovalAsked: decide('approved') })
  t.strictSame([done?.ok, done?.data], [true, { removed: '5' }])
  const denied = api.orders?.remove?.({ id: '6', amount: 1 }, { onApprovalAsked: decide('denied') })
  t.match(await denied?.catch((thrown: unknown) => thrown), { status: 403 })
  t.equal(asked.length, 2)
  const left = new AbortController()
  const aborted = api.orders?.remove?.(
    { id: '7', amount: 1 },
    { onApprovalAsked: () => left.abort(), signal: left.signal },
  )
  await t.rejects(async () => void (await aborted), { name: 'AbortError' })
})
