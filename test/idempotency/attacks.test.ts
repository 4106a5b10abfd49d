/** What was tried against idempotency keys. Whole values: what each call was answered, and what was done. */

import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { databaseOf } from '../../runtime/store/database.ts'
import type { TestApp, TestClient } from '../../runtime/testing.ts'
import { deskOf } from '../approval/desk-of.ts'
import { madePairs } from '../approval/made-values.ts'
import { temporaryFolder } from '../flow/support.ts'
import { type Answer, ada } from './shop.ts'
import { openTarget } from './target.ts'

t.setTimeout(240_000) // a busy machine

/** Status, whether it is a replay, and the body; of problem details their type. */
function told({ statusCode, headers, rawPayload, json }: Answer): readonly unknown[] {
  const type = String(headers['content-type'])
  if (type.startsWith('application/problem')) return [statusCode, json().type.replace('urn:acmcp:', '')]
  if (statusCode === 500) return [statusCode]
  const body = type.startsWith('application/json') ? json() : [type, [...rawPayload]]
  return headers['idempotent-replayed'] === 'true' ? [statusCode, 'replayed', body] : [statusCode, body]
}

type KeptRow = Readonly<Record<'id' | 'owner' | 'claim' | 'sealed', string>>

const apiKey = (app: TestApp): TestClient => app.client().withHeaders({ 'x-api-key': 'one' })

t.test('whose key: credentials that many share, and a secret that rotates', async (t) => {
  const { app, post, ran } = await openTarget()
  t.teardown(() => app.close())
  const by = (headers: Readonly<Record<string, string>>): Promise<Answer> =>
    post(
      '/targets/gateway',
      { what: 'x' },
      'k',
      app.client().withHeaders({ authorization: 'Basic YTpi', ...headers }),
    )
  const answered = { user: 'ada', what: 'x' }
  t.strictSame(told(await by({ 'x-forwarded-user': 'ada' })), [200, answered])
  t.strictSame(told(await by({ 'x-forwarded-user': 'bob' })), [422, 'idempotency-reused'])
  t.strictSame(
    told(await by({ 'x-forwarded-user': 'ada', 'x-request-id': '2', 'x-forwarded-for': '10.0.0.2' })),
    [200, 'replayed', answered],
    'by another way',
  )
  t.strictSame(await ran(), ['gateway ada x'])
  const databaseUrl = `sqlite:${join(temporaryFolder(), 'acmcp.db')}`
  const [first, second] = ['1'.repeat(40), '2'.repeat(40)]
  const answers: unknown[] = []
  for (const sessionSecrets of [[first], [second, first], [second, first]]) {
    const opened = await openTarget({ environment: { databaseUrl, sessionSecrets } })
    const answer = await opened.post('/targets/wait', { what: 'r' }, 'k', apiKey(opened.app))
    answers.push([told(answer), await opened.ran()])
    await opened.app.close()
  }
  const again = [[200, 'replayed', { waited: 'r' }], []]
  t.strictSame(answers, [[[200, { waited: 'r' }], ['wait r']], again, again])
})

t.test('one route, by each of its addresses and as a tool', async (t) => {
  const { app, post, client, ran } = await openTarget()
  t.teardown(() => app.close())
  const answered = { kind: 'none' }
  t.strictSame(told(await post('/targets/items', { what: 'x' })), [200, answered])
  const tool = await client.tool('targets_items', { what: 'x', idempotencyKey: 'k' })
  t.strictSame(tool.structuredContent, answered)
  t.strictSame(told(await post('/targets/items', { what: 'x' })), [200, 'replayed', answered])
  t.strictSame(told(await post('/targets/items/a', { what: 'x' })), [422, 'idempotency-reused'])
  t.strictSame(await ran(), ['items undefined x'])
})

t.test('a replay is what the first call got, and asks for what that asked for', async (t) => {
  const { app, post, ran } = await openTarget({ config: { answers: 'whole' } })
  t.teardown(() => app.close())
  const browser = app.client()
  await browser.signIn(ada)
  const [wide, narrow] = [
    app.client().withBearer(await app.accessToken(ada, { scope: 'buy pay' })),
    app.client().withBearer(await app.accessToken(ada, { scope: 'buy' })),
  ]
  const dated = { when: '1970-01-01T00:00:00.000Z' }
  const done = [409, 'idempotency-done']
  const calls: readonly (readonly [string, object, TestClient, unknown[], unknown[]?])[] = [
    ['bytes', { what: 'x' }, wide, [200, ['image/png', [1, 2, 255]]]],
    ['circle', { what: 'x' }, wide, [200, ['text/csv; charset=utf-8', [...Buffer.from('own')]]], done],
    ['either', { how: 'dated' }, wide, [200, dated]],
    ['either', { how: 'dated' }, browser, [200, { ...dated, pin: '1234' }]],
    ['lost', { how: 'it' }, wide, [404, { missing: 'it' }]],
    ['lost', { how: 'other' }, wide, [404, { missing: 'other' }]],
    ['lost', { how: 'other' }, browser, [404, { missing: 'other', pin: '1234' }]],
    ['big', {}, wide, [200, { n: '9007199254740993', m: { a: 1 }, b: 'AQ==' }]],
    ['dynamic', { what: 'x' }, wide, [200, { secret: 'x' }]],
  ]
  for (const [at, [name, body, by, first, again]] of calls.entries()) {
    const post1 = (): Promise<Answer> => post(`/targets/${name}`, body, `key ${at}`, by)
    t.strictSame(told(await post1()), first, name)
    t.strictSame(told(await post1()), again ?? [first[0], 'replayed', first[1]], `${name} again`)
  }
  const denied = await post('/targets/dynamic', { what: 'x' }, `key ${calls.length - 1}`, narrow)
  t.strictSame(told(denied), [403, { error: 'insufficient_scope' }], 'its method asked for a scope')
  t.equal((await ran()).length, calls.length)
})

t.test(
  'issue: a number that JSON has no other text for, and what a parser makes, is no other value',
  async (t) => {
    const { app, ran } = await openTarget()
    t.teardown(() => app.close())
    const numbers = [
      ['-0', '"-0"'],
      ['-0', '0'],
      ['1e400', '"Infinity"'],
      ['1e400', '-1e400'],
      ['1e400', 'null'],
      ['[-0]', '["-0"]'],
      ['{"a":1e400}', '{"a":"Infinity"}'],
    ] as const
    const calls = [
      ...numbers.map((pair) => ['application/json', pair] as const),
      ...madePairs.map((pair) => ['text/x-made', pair] as const),
    ]
    const answers: unknown[] = []
    for (const [at, [type, [first, other]]] of calls.entries()) {
      const send = async (payload: string): Promise<unknown> => {
        const headers = { 'content-type': type, 'idempotency-key': `k${at}`, authorization: 'Basic YTpi' }
        return (await app.client().request({ method: 'POST', url: '/targets/any', headers, payload }))
          .statusCode
      }
      answers.push([await send(first), await send(other), await send(first)])
    }
    t.strictSame(answers, Array(calls.length).fill([200, 422, 200]))
    t.equal((await ran()).length, calls.length)
  },
)

t.test('the mark, made where it does not count', async (t) => {
  const { app, post } = await openTarget()
  t.teardown(() => app.close())
  for (const how of ['outside', 'ended', 'twice', 'foreign']) {
    t.strictSame(told(await post('/targets/mark', { how }, how)), [500], how)
    t.strictSame(told(await post('/targets/mark', { how }, how)), [500], `${how} again`)
  }
  const { rows } = await sql<{ text: string }>`select text from entries`.execute(databaseOf(app.services))
  t.strictSame(rows, [{ text: 'outside' }, { text: 'ended' }], 'of the others nothing is left')
})

t.test('a row that tells of another call', async (t) => {
  const { app, post, ran } = await openTarget()
  t.teardown(() => app.close())
  await post('/targets/wait', { what: 'a' }, 'a')
  await post('/targets/wait', { what: 'b' }, 'b', apiKey(app))
  const { rows } = await sql<KeptRow>`
    select * from acmcp_idempotency_keys order by created_at, owner`.execute(databaseOf(app.services))
  t.notMatch(JSON.stringify(rows), /waited|"one"|"a"|"b"/, 'neither keys, credentials nor answers')
  const byUser = rows.find(({ owner }) => owner === ada.id)
  const byKey = rows.find(({ owner }) => owner !== ada.id)
  await sql`update acmcp_idempotency_keys set claim = ${byUser?.claim}, sealed = ${byUser?.sealed}
    where id = ${byKey?.id}`.execute(databaseOf(app.services))
  const stolen = await post('/targets/wait', { what: 'b' }, 'b', apiKey(app))
  t.strictSame(told(stolen), [409, 'idempotency-done'], 'no answer of another')
  t.strictSame(await ran(), ['wait a', 'wait b'])
})

/** All that waits for Ada. */
async function approve({ application }: TestApp): Promise<void> {
  const approvals = deskOf(application)
  for (const { row } of (await approvals?.pending(ada.id)) ?? []) {
    const { id, digest } = row
    await approvals?.decide({
      ...{ id, digest, user: ada.id, decision: 'approved', method: 'page', authTime: null },
    })
  }
}

t.test('decisions, order of checks: keys and approvals, and each filter runs once', async (t) => {
  const { app } = await openTarget()
  t.teardown(() => app.close())
  const payer = app.client().withBearer(await app.accessToken(ada, { scope: 'buy pay' }))
  const other = app.client().withBearer(await app.accessToken(ada, { scope: 'buy' }))
  const good = { 'idempotency-key': 'k', 'content-type': 'application/json' }
  /** Status, what is said, and what ran, with the error that the around filter saw. */
  const send = async (
    headers: Readonly<Record<string, string>> = good,
    payload = '{"count":1}',
    client = payer,
  ): Promise<readonly unknown[]> => {
    const answer = await client.withHeaders(headers).request({ method: 'POST', url: '/ordered', payload })
    const { type, error, parameter } = answer.json()
    const said = type?.replace('urn:acmcp:', '') ?? parameter ?? error?.split(', ', 1)[0] ?? answer.json()
    return [answer.statusCode, said, (await payer.get('/ordered')).json().join(' ')]
  }
  const noKey = { ...good, 'idempotency-key': '' }
  const noType = { ...noKey, 'content-type': 'text/csv' }
  const noAccept = { ...noType, accept: 'image/png' }
  const noBefore = { ...noAccept, 'x-before': 'no' }
  const noAround = { ...noBefore, 'x-around': 'no' }
  t.strictSame(await send(noAround, '{', app.client()), [401, 'invalid_token', ''])
  t.strictSame(await send(noAround, '{', other), [403, 'insufficient_scope', ''])
  t.strictSame(await send(noAround, '{'), [409, 'around', 'around'])
  t.strictSame(await send(noBefore, '{'), [404, 'before', 'around before NotFound'])
  const [accept, type] = ['no acceptable response format', 'unsupported body format']
  t.strictSame(await send(noAccept, '{'), [406, accept, 'around before NotAcceptable'])
  t.strictSame(await send(noType, '{'), [415, type, 'around before UnsupportedMediaType'])
  const noJson = 'the request body is not valid JSON'
  t.strictSame(await send(noKey, '{'), [400, noJson, 'around before JsonParseError'])
  t.strictSame(await send(noKey, '{}'), [422, 'count', 'around before MissingError'])
  t.strictSame(await send(good, '{}'), [422, 'count', 'around before MissingError'], 'the key is free again')
  const refused = 'around before IdempotencyRefused'
  t.strictSame(await send(noKey), [400, 'idempotency-malformed', refused])
  t.strictSame(await send(), [428, 'approval-required', 'around before ApprovalRequired'])
  await approve(app)
  t.strictSame(await send(), [200, { acted: 1 }, 'around before acted'])
  t.strictSame(await send(), [200, { acted: 1 }, 'around before'], 'again')
  t.strictSame(await send(good, '{"count":2}'), [422, 'idempotency-reused', refused])
  const mine = await send({ ...good, 'x-around': 'mine' })
  t.strictSame(mine, [422, 'idempotency-reused', refused], 'whatever the filter makes of it')
  for (let calls = 0; calls < 6; calls += 1) await send(noAround, '{')
  t.strictSame((await send(noAround, '{')).slice(0, 1), [429])
})

t.test('a filter that answers in place of the method that runs', async (t) => {
  const { app, post, client, clock } = await openTarget()
  t.teardown(() => app.close())
  const approved = (): Promise<Answer> => post('/enclosed/approved', { what: 'x' })
  t.strictSame(told(await approved()), [428, 'approval-required'])
  await approve(app)
  Reflect.set(globalThis, 'beforeMethod', () => {
    throw new Error('refused')
  })
  t.strictSame(told(await approved()), [500], 'key and approval are there again')
  let goOn = (): void => {}
  let inside: unknown = null
  Reflect.set(globalThis, 'beforeMethod', () => {
    inside = new Promise<void>((resolve) => {
      goOn = resolve
    })
    return inside
  })
  Reflect.set(globalThis, 'impatient', Promise.resolve('late'))
  t.strictSame(told(await approved()), [504, { late: true }], 'before the method')
  goOn()
  await inside
  await new Promise(setImmediate)
  t.strictSame((await client.get('/enclosed')).json(), [], 'nothing runs any more')
  let giveUp = (): void => {}
  const impatient = new Promise<string>((resolve) => {
    giveUp = () => resolve('late')
  })
  Reflect.set(globalThis, 'impatient', impatient)
  Reflect.set(globalThis, 'beforeMethod', () => giveUp())
  t.strictSame(told(await approved()), [504, { late: true }])
  Reflect.deleteProperty(globalThis, 'impatient')
  Reflect.deleteProperty(globalThis, 'beforeMethod')
  clock.now += 61_000
  t.strictSame(told(await approved()), [409, 'idempotency-done'], 'what the filter said is not kept')
  t.strictSame((await client.get('/enclosed')).json(), ['approved x'])
})

t.test('many at once, and questions that are answered twice', async (t) => {
  const { app, post, ran, client } = await openTarget()
  t.teardown(() => app.close())
  for (const url of ['/targets/wait', '/enclosed/run']) {
    const calls = await Promise.all(Array.from({ length: 50 }, () => post(url, { what: 'race' }, 'race')))
    const first = calls.filter(
      ({ statusCode, headers }) => statusCode === 200 && !headers['idempotent-replayed'],
    )
    t.equal(first.length, 1, url)
    t.strictSame(
      [...new Set(calls.map(({ statusCode }) => statusCode))].filter((status) => status !== 409),
      [200],
    )
  }
  t.strictSame([await ran(), (await client.get('/enclosed')).json()], [['wait race'], ['run race']])
  const asked = await Promise.all(
    [2, 3].map((count) => post('/targets/seats', { room: 'r', seats: { count } }, 'seats')),
  )
  t.strictSame(
    asked.map(({ statusCode }) => statusCode).filter((status) => status !== 409),
    asked.filter(({ statusCode }) => statusCode === 200).map(() => 200),
  )
  t.equal((await ran()).length, 2, 'an answer to a question is no part of the call')
})
