/** Idempotency over HTTP: the first call runs, whoever repeats it gets its answer. */

import t from 'tap'
import type { TestClient } from '../../runtime/testing.ts'
import { deskOf } from '../approval/desk-of.ts'
import { type Answer, ada, bob, openShop } from './shop.ts'

t.setTimeout(240_000) // a busy machine

/** The clock's apart. */
const headersOf = ({ headers: { date: _, ...headers } }: Answer): object => headers

const problem = ({ statusCode, headers, json }: Answer) => {
  const { type, detail } = json()
  return [statusCode, headers['content-type'], headers['retry-after'] ?? null, type, detail]
}

t.test('the same call again gets the same answer, and nothing is done twice', async (t) => {
  const { app, post, ran } = await openShop()
  t.teardown(() => app.close())
  const order = { amount: 100, note: 'n' }
  const [first, again] = [await post('/orders', order), await post('/orders', order)]
  t.strictSame([first.statusCode, again.statusCode], [201, 201])
  t.strictSame(first.json(), { id: 'order-1', amount: 100, at: '1970-01-01T00:00:00.000Z', note: 'n' })
  t.equal(again.body, first.body)
  t.strictSame(headersOf(again), {
    ...headersOf(first),
    'idempotent-replayed': 'true',
    'set-cookie': ['seen=yes; Path=/; HttpOnly; SameSite=Lax'],
  })
  t.match(first.headers, {
    location: '/orders/1',
    link: ['</a>; rel="a"', '</b>; rel="b"'],
    'set-cookie': ['seen=yes; Path=/; HttpOnly; SameSite=Lax', 'cart=empty; Path=/; HttpOnly; SameSite=Lax'],
  })
  t.strictSame(await ran(), ['place 100'])
  t.equal((await post('/orders', order, 'another')).json().id, 'order-2')
  t.equal((await post('/orders', order, null)).json().id, 'order-3', 'without a key')
  t.strictSame(await ran(), ['place 100', 'place 100', 'place 100'])
})

t.test('another call with the key is refused, whatever of it differs', async (t) => {
  const { app, post, ran, client } = await openShop()
  t.teardown(() => app.close())
  await post('/orders', { amount: 1 })
  const others: readonly (readonly [string, Answer])[] = [
    ['an argument', await post('/orders', { amount: 2 })],
    ['what nothing reads', await post('/orders', { amount: 1, more: 1 })],
    ['the query', await post('/orders?x=1', { amount: 1 })],
    [
      'what a filter reads',
      await post('/orders', { amount: 1 }, 'k', client.withHeaders({ 'x-language': 'de' })),
    ],
    [
      'a header that is forwarded',
      await post('/orders', { amount: 1 }, 'k', client.withHeaders({ 'x-tenant': 'a' })),
    ],
  ]
  for (const [what, answer] of others)
    t.strictSame(
      problem(answer),
      [
        422,
        'application/problem+json; charset=utf-8',
        null,
        'urn:acmcp:idempotency-reused',
        'another call had this idempotency key: use a new one for a new effect',
      ],
      what,
    )
  t.equal((await post('/orders', { amount: 1 })).statusCode, 201)
  t.strictSame(await ran(), ['place 1'])
})

t.test('whose a key is, and of which route', async (t) => {
  const { app, post, client, ran } = await openShop()
  t.teardown(() => app.close())
  const named = (name: string) => ({ name })
  const browser = app.client()
  await browser.signIn(ada)
  const callers = [
    client,
    app.client().withBearer(await app.accessToken(bob)),
    browser,
    app.client().withHeaders({ 'x-api-key': 'one' }),
    app.client().withHeaders({ 'x-api-key': 'two' }),
    app.client().withHeaders({ authorization: 'Basic YTpi' }),
  ]
  for (const [at, caller] of callers.entries()) {
    const first = await post('/open', named(`caller ${at}`), 'shared', caller)
    t.strictSame([first.statusCode, first.headers['idempotent-replayed']], [200, undefined], `caller ${at}`)
    const again = await post('/open', named(`caller ${at}`), 'shared', caller)
    t.strictSame([again.json(), again.headers['idempotent-replayed']], [{ hello: `caller ${at}` }, 'true'])
  }
  t.equal((await post('/orders/task', named('a'), 'shared')).statusCode, 200, 'another route')
  const stranger = await post('/open', named('stranger'), 'shared', app.client())
  t.strictSame(problem(stranger).slice(0, 4), [
    400,
    'application/problem+json; charset=utf-8',
    null,
    'urn:acmcp:idempotency-no-caller',
  ])
  t.equal((await post('/open', named('stranger'), null, app.client())).statusCode, 200)
  const both = browser.withHeaders({ authorization: `Bearer ${await app.accessToken(bob)}` })
  t.equal((await post('/open', named('two users'), 'shared', both)).statusCode, 400)
  t.strictSame(await ran(), ['task a'])
})

t.test('a token that has ended is no caller: its user would be another one', async (t) => {
  const { app, post, clock } = await openShop()
  t.teardown(() => app.close())
  const named = { name: 'a' }
  t.equal((await post('/open', named)).statusCode, 200)
  clock.now += 3_600_001
  t.strictSame(problem(await post('/open', named)).slice(0, 4), [
    400,
    'application/problem+json; charset=utf-8',
    null,
    'urn:acmcp:idempotency-no-caller',
  ])
  t.equal((await post('/open', named, null)).statusCode, 200, 'anybody may call it')
})

t.test('which texts are keys', async (t) => {
  const { app, post, ran, client } = await openShop()
  t.teardown(() => app.close())
  const long = 'x'.repeat(255)
  for (const key of ['', '   ', `${long}x`, '"open', '"', '""', '"a"b"', '"a\\b"', 'é', 'a\tb'])
    t.strictSame(
      problem(await post('/orders', { amount: 1 }, key)).slice(0, 4),
      [400, 'application/problem+json; charset=utf-8', null, 'urn:acmcp:idempotency-malformed'],
      JSON.stringify(key),
    )
  for (const key of [long, '"quoted"', 'a b', '"a\\"b"', '0', 'null'])
    t.equal((await post('/orders', { amount: 1 }, key)).statusCode, 201, key)
  t.equal(
    (await post('/orders', { amount: 1 }, 'quoted')).headers['idempotent-replayed'],
    'true',
    'the same key',
  )
  const missing = await client.json('/orders/1', { amount: 1 }, 'PATCH')
  t.strictSame(problem(missing).slice(0, 4), [
    400,
    'application/problem+json; charset=utf-8',
    null,
    'urn:acmcp:idempotency-required',
  ])
  t.equal((await ran()).length, 6)
})

t.test('what is kept of each answer', async (t) => {
  const { app, post, ran, client } = await openShop()
  t.teardown(() => app.close())
  const ends = {
    conflict: [409, '{"taken":"gone"}'],
    boom: [500, '{}'],
    nothing: [200, ''],
    text: [202, 'done'],
    bytes: [200, '\u0001\u0002\ufffd'],
    head: [204, ''],
    redirect: [303, ''],
  } as const
  for (const [how, [status, body]] of Object.entries(ends)) {
    const first = await post('/orders/end', { how }, how)
    const again = await post('/orders/end', { how }, how)
    t.strictSame([again.statusCode, again.body], [status, body], how)
    if (how === 'boom') continue
    t.strictSame([first.statusCode, first.body], [status, body], how)
    t.strictSame(headersOf(again), { ...headersOf(first), 'idempotent-replayed': 'true' }, how)
  }
  t.equal((await post('/orders/end', { how: 'conflict' }, 'conflict')).headers['x-handler'], 'yes')
  for (const how of ['stream', 'large']) {
    const first = await post('/orders/end', { how }, how)
    const again = await post('/orders/end', { how }, how)
    t.strictSame(
      [first.statusCode, problem(again).slice(0, 1), again.json().answered, again.json().type],
      [how === 'stream' ? 201 : 200, [409], first.statusCode, 'urn:acmcp:idempotency-done'],
    )
  }
  t.strictSame(
    await ran(),
    [...Object.keys(ends), 'stream', 'large'].map((how) => `end ${how}`),
  )
  const yaml = client.withHeaders({ accept: 'application/yaml' })
  await post('/orders/end', { how: 'plain' }, 'plain')
  t.equal(
    (await post('/orders/end', { how: 'plain' }, 'plain', yaml)).body,
    'ended: plain\n',
    'negotiated anew',
  )
})

t.test('what binds no key', async (t) => {
  const { app, post, ran } = await openShop()
  t.teardown(() => app.close())
  const buyer = app.client().withBearer(await app.accessToken(ada, { scope: 'buy' }))
  const none = app.client().withBearer(await app.accessToken(ada, { scope: 'pay' }))
  t.equal((await post('/orders', { amount: 'much' })).statusCode, 500, 'a mistake: nothing handles it')
  t.equal((await post('/orders', { amount: 1 }, 'k', none)).statusCode, 403, 'a scope is missing')
  t.equal((await post('/orders', { amount: 1 }, 'k', app.client())).statusCode, 401)
  t.equal((await post('/orders', { amount: 1 })).statusCode, 201)
  t.equal((await post('/orders/end', { how: 'scope' }, 'scope', buyer)).statusCode, 403)
  t.equal((await post('/orders/end', { how: 'scope' }, 'scope', buyer)).statusCode, 403)
  t.equal((await post('/orders/end', { how: 'limit' }, 'limit')).statusCode, 429)
  t.equal((await post('/orders/end', { how: 'limit' }, 'limit')).statusCode, 429)
  t.strictSame(await ran(), ['place 1', 'end scope', 'end scope', 'end limit', 'end limit'])
})

t.test(
  'while the first call runs the others wait, whatever becomes of its client and its time',
  async (t) => {
    const { app, post, ran } = await openShop()
    t.teardown(() => app.close())
    let go = (): void => {}
    const holding = (): Promise<void> => {
      const begun = new Promise<void>((begin) => {
        const over = new Promise<void>((resolve) => {
          go = resolve
        })
        Reflect.set(globalThis, 'held', () => {
          begin()
          return over
        })
      })
      return begun
    }
    const begun = holding()
    const first = post('/orders/end', { how: 'held' }, 'held')
    await begun
    t.strictSame(problem(await post('/orders/end', { how: 'held' }, 'held')), [
      409,
      'application/problem+json; charset=utf-8',
      '1',
      'urn:acmcp:idempotency-running',
      'the first call with this idempotency key is still running: send the same call again',
    ])
    t.equal((await post('/orders/end', { how: 'other' }, 'held')).statusCode, 422)
    go()
    t.strictSame((await first).json(), { ended: 'held' })
    t.strictSame((await post('/orders/end', { how: 'held' }, 'held')).json(), { ended: 'held' })
    t.strictSame(await ran(), ['end held'])
  },
)

t.test('a key is forgotten when its time is over, and one user has so many', async (t) => {
  const { app, post, ran, clock } = await openShop({ config: { idempotency: { keep: '30m', perUser: 6 } } })
  t.teardown(() => app.close())
  for (const key of ['a', 'b', 'c']) t.equal((await post('/orders', { amount: 1 }, key)).statusCode, 201)
  t.strictSame(problem(await post('/orders', { amount: 1 }, 'd')), [
    429,
    'application/problem+json; charset=utf-8',
    '3600',
    'urn:acmcp:idempotency-too-many',
    'this user has too many idempotency keys that have not expired',
  ])
  t.equal((await post('/orders', { amount: 1 }, 'a')).headers['idempotent-replayed'], 'true')
  const other = app.client().withBearer(await app.accessToken(bob))
  t.equal((await post('/orders', { amount: 1 }, 'd', other)).statusCode, 201)
  clock.now += 1_800_001
  t.equal((await post('/orders', { amount: 2 }, 'a')).statusCode, 201)
  t.strictSame(await ran(), ['place 1', 'place 1', 'place 1', 'place 1', 'place 2'])
})

t.test(
  'a client has half of its user’s keys; invented credentials are counted by their address',
  async (t) => {
    const { app, post } = await openShop({ config: { idempotency: { perUser: 4 } } })
    t.teardown(() => app.close())
    const statuses = async (
      count: number,
      clientOf: (at: number) => TestClient,
    ): Promise<readonly number[]> => {
      const answers: number[] = []
      for (let at = 0; at < count; at += 1)
        answers.push((await post('/open', { name: 'a' }, `key ${at}`, clientOf(at))).statusCode)
      return answers
    }
    const [first, second] = [await app.accessToken(ada), await app.accessToken(ada)]
    const one = app.client().withBearer(first)
    t.strictSame(await statuses(3, () => one), [200, 200, 429])
    const again = app.client().withBearer(second)
    t.strictSame(await statuses(3, () => again), [200, 200, 429], 'another client: the other half')
    const browser = app.client()
    await browser.signIn(ada)
    t.strictSame(await statuses(3, () => browser), [429, 429, 429], 'the user has all')
    const invented = (at: number): TestClient => app.client().withHeaders({ 'x-api-key': `invented ${at}` })
    const seen = await statuses(22, invented)
    t.strictSame([...new Set(seen.slice(0, 20)), ...seen.slice(20)], [200, 429, 429])
  },
)

t.test('a replay needs no second approval, and a question binds no key', async (t) => {
  const { app, post, ran } = await openShop()
  t.teardown(() => app.close())
  const approvals = deskOf(app.application)
  t.equal((await post('/orders/approved', { what: 'tea' })).statusCode, 428)
  const [waiting] = (await approvals?.pending(ada.id)) ?? []
  const decision = { user: ada.id, decision: 'approved', method: 'page', authTime: null } as const
  await approvals?.decide({ ...decision, id: waiting?.row.id ?? '', digest: waiting?.row.digest ?? '' })
  t.strictSame((await post('/orders/approved', { what: 'tea' })).json(), { bought: 'tea' })
  const again = await post('/orders/approved', { what: 'tea' })
  t.strictSame(
    [again.statusCode, again.headers['idempotent-replayed'], again.json()],
    [200, 'true', { bought: 'tea' }],
  )
  t.equal(
    (await post('/orders/approved', { what: 'tea' }, null)).statusCode,
    409,
    'without the key it was spent',
  )
  t.strictSame(await ran(), ['approved tea'])
})

t.test('a filter around the method: its transaction is what counts', async (t) => {
  const { app, post, client } = await openShop()
  t.teardown(() => app.close())
  const entries = async () => (await client.get('/ledger')).json()
  const [first, again] = [await post('/ledger', { text: 'a' }), await post('/ledger', { text: 'a' })]
  t.strictSame(
    [first.json(), again.json(), again.headers['idempotent-replayed']],
    [{ added: 'a' }, { added: 'a' }, 'true'],
  )
  t.strictSame(await entries(), ['a'])
  Reflect.set(globalThis, 'commit', 'fails')
  t.equal((await post('/ledger', { text: 'b' }, 'b')).statusCode, 500)
  Reflect.deleteProperty(globalThis, 'commit')
  const same = await post('/ledger', { text: 'b' }, 'b')
  t.strictSame([same.statusCode, same.body], [500, '{}'], 'what came of it, not what the method returned')
  t.strictSame(await entries(), ['a'])
  t.equal((await post('/ledger/approved', { text: 'c' }, 'c')).statusCode, 428)
  const approvals = deskOf(app.application)
  const [waiting] = (await approvals?.pending(ada.id)) ?? []
  const decision = { user: ada.id, decision: 'approved', method: 'page', authTime: null } as const
  await approvals?.decide({ ...decision, id: waiting?.row.id ?? '', digest: waiting?.row.digest ?? '' })
  const calls = await Promise.all(
    Array.from({ length: 6 }, () => post('/ledger/approved', { text: 'c' }, 'c')),
  )
  t.strictSame([...new Set(calls.map(({ statusCode }) => statusCode))].sort(), [200, 409])
  t.strictSame(await entries(), ['a', 'c'])
})

t.test('a mark in the transaction', async (t) => {
  const { app, post, client } = await openShop({ environment: { production: true } })
  t.teardown(() => app.close())
  const entries = async () => (await client.get('/ledger')).json()
  const pay = (text: string, how?: string, key: string | null = `${text} ${how}`): Promise<Answer> =>
    post('/ledger/pay', { text, ...(how === undefined ? {} : { how }) }, key)
  t.strictSame((await pay('a', undefined, null)).json(), { paid: 'a' }, 'without a key')
  const [first, again] = [await pay('b'), await pay('b')]
  t.strictSame(
    [first.json(), again.json(), again.headers['idempotent-replayed']],
    [{ paid: 'b' }, { paid: 'b' }, 'true'],
  )
  t.equal((await pay('c', 'after')).statusCode, 500)
  t.strictSame((await pay('c', 'after')).json(), { paid: 'c' }, 'it was committed')
  const back = await pay('d', 'back')
  const backAgain = await pay('d', 'back')
  t.strictSame([back.statusCode, backAgain.body], [409, back.body], 'what its handler said')
  for (const how of ['unmarked', 'early']) {
    t.strictSame((await pay('e', how)).json(), { paid: 'e' })
    t.strictSame(problem(await pay('e', how)), [
      409,
      'application/problem+json; charset=utf-8',
      null,
      'urn:acmcp:idempotency-unknown',
      'the first call with this idempotency key was interrupted, and nobody can say what it did: look before you use a new key',
    ])
  }
  t.strictSame(await entries(), ['a', 'b', 'c', 'e'])
})

t.test('in development a method that forgets the mark is told', async (t) => {
  const { app, post } = await openShop()
  t.teardown(() => app.close())
  const forgotten = await post('/ledger/pay', { text: 'a', how: 'early' })
  t.equal(forgotten.statusCode, 500)
  t.match(forgotten.body, 'returned without `await this.idempotency.in(transaction, answer)`')
})
