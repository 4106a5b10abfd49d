/** The generated client repeats a call whose answer was lost: the server does it once. */
import t, { type Test } from 'tap'
import { buildWithClient, loadClient } from '../cli/client/served-client.ts'
import { builtShop, openShop } from './shop.ts'

t.setTimeout(240_000) // a busy machine

async function open(t: Test) {
  const { app, token, ran } = await openShop()
  t.teardown(() => app.close())
  const folder = await builtShop()
  const { createClient } = await loadClient(folder, await buildWithClient(folder))
  let lost = 0
  const client = (options: object = {}) =>
    createClient({
      baseUrl: app.baseUrl,
      token,
      retries: 3,
      fetch: async (url: string, { method, headers, body }: RequestInit) => {
        const sent = { method: method as 'POST', url, headers: Object.fromEntries(new Headers(headers)) }
        const payload = typeof body === 'string' ? { payload: body } : {}
        const answer = await app.application.server.inject({ ...sent, ...payload })
        lost -= 1
        if (lost === 1) throw new TypeError('fetch failed')
        if (lost === 0) return new Response('a gateway', { status: 503, headers: { 'retry-after': '0' } })
        const { 'set-cookie': _, ...kept } = answer.headers
        return new Response(answer.body, { status: answer.statusCode, headers: Object(kept) })
      },
      ...options,
    })
  const lose = (): void => {
    lost = 2
  }
  return { client, ran, lose }
}

t.test('an answer that is lost twice comes the third time, and the method ran once', async (t) => {
  const { client, ran, lose } = await open(t)
  const { orders } = client()
  lose()
  const answer = await orders?.place?.({ amount: 100 })
  t.strictSame([answer?.status, answer?.data], [201, { id: 'order-1', amount: 100, at: new Date(0) }])
  t.equal(answer?.response.headers.get('idempotent-replayed'), 'true')
  t.strictSame(await ran(), ['place 100'])
  lose()
  t.match(await orders?.place?.({ amount: 100 }), { status: 201, data: { id: 'order-2' } })
  t.strictSame(await ran(), ['place 100', 'place 100'], 'another call is another order')
})

t.test('a key of the caller’s own is the same order after a reload, and no other one', async (t) => {
  const { client, ran } = await open(t)
  const options = { idempotencyKey: 'draft-7' }
  t.equal((await client().orders?.place?.({ amount: 1 }, options))?.status, 201)
  t.match(await client().orders?.place?.({ amount: 1 }, options), { status: 201, data: { id: 'order-1' } })
  const other = await client().orders?.place?.({ amount: 2 }, options)
  t.match([other?.ok, other?.status, other?.data], [false, 422, { type: 'urn:acmcp:idempotency-reused' }])
  t.strictSame(await ran(), ['place 1'])
})

t.test('who is nobody has no key: null sends none', async (t) => {
  const { client } = await open(t)
  const { open: everybody } = client({ token: null })
  const refused = await everybody?.hello?.({ name: 'a' })
  t.match([refused?.status, refused?.data], [400, { type: 'urn:acmcp:idempotency-no-caller' }])
  t.match(await everybody?.hello?.({ name: 'a' }, { idempotencyKey: null }), { data: { hello: 'a' } })
})
