/** Calls made so that they would run otherwise than their user approved, or be shown otherwise than they run. */

import t, { type Test } from 'tap'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import type { AppConfig } from '../../runtime/capabilities/exports.ts'
import { openTestApp, type TestApp, type TestClient } from '../../runtime/testing.ts'
import { called, type Talk } from '../mcp/questions/refunds.ts'
import { builtFolder } from '../support/linked.ts'
import { deskOf } from './desk-of.ts'
import { madePairs, madeSource } from './made-values.ts'
import { ada, bob } from './orders.ts'

t.setTimeout(240_000) // a busy machine

const config = `import { defineApp } from 'acmcp'
import { parseMade } from './made.ts'

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Vault' },
  parsers: { 'text/x-made': parseMade },
})
`

const vault = `import { type Body, type Checked, Controller, InputRequired } from 'acmcp'

export const ran: string[] = []

let number = 0

interface Numbered { readonly number: number; readonly date: Date }

interface NumberedSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'vault'
    readonly types?: { readonly input: string; readonly output: Numbered }
    readonly validate: (value: unknown) => { readonly value: Numbered }
  }
}

export const numbered: NumberedSchema = {
  '~standard': {
    version: 1,
    vendor: 'vault',
    validate: (value) => ({ value: { number: number++, date: new Date(String(value)) } }),
  },
}

interface Payment {
  amount: number
  note?: string
  to?: Account
  /** @secret */
  pin?: string
}

interface Account {
  iban: string
  /** @secret */
  code?: string
}

const question = {
  message: 'How many?',
  schema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
}

/** A vault. */
export class Vault extends Controller {
  /**
   * What has run.
   *
   * @get /
   */
  index(): string[] { return ran }

  /**
   * Pays.
   *
   * @post /payments
   * @approval Pay {amount}
   */
  pay(payment: Body<Payment>): void { ran.push(\`pay \${payment.amount}\`) }

  /**
   * Closes an account.
   *
   * @delete /accounts
   * @approval Close an account
   */
  close(account: Account): void { ran.push(\`close \${account.iban}\`) }

  /**
   * Keeps anything.
   *
   * @post /things
   * @approval Keep {anything}
   */
  keep(anything: unknown): void {
    ran.push(\`keep \${Object.is(anything, -0) ? '-0' : String(anything)}\`)
  }

  /**
   * Keeps a date, of which a schema makes another value each time.
   *
   * @post /dates
   * @approval Keep {at}
   */
  date(at: Checked<typeof numbered>): void { ran.push(\`at \${at.number} \${at.date.toJSON()}\`) }

  /**
   * Empties it.
   *
   * @post /empty
   * @approval Empty the vault
   */
  empty(): number {
    const answer = this.mcp?.accepted('count', question)
    if (!answer) throw new InputRequired({ count: question }, 'asked')
    ran.push(\`empty \${answer.count}\`)
    return Number(answer.count)
  }
}
`

const files: Readonly<Record<string, string>> = {
  'package.json': '{"name":"vault","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/made.ts': madeSource,
  'app/controllers/vault.ts': vault,
}

interface Vault {
  readonly app: TestApp
  readonly client: TestClient
  ran(): Promise<readonly string[]>
  waiting(): Promise<unknown>
  approve(): Promise<void>
}

async function open(t: Test, more: Partial<AppConfig> = {}): Promise<Vault> {
  const cwd = await builtFolder(files)
  const bundle = await loadBundle(cwd)
  const app = await openTestApp({
    cwd,
    change: () => ({ ...bundle, config: { ...Object(bundle.config), ...more } }),
  })
  t.teardown(() => app.close())
  const client = app.client().withBearer(await app.accessToken(ada))
  const approvals = deskOf(app.application)
  if (approvals === null) throw new Error('it has some')
  return {
    app,
    client,
    ran: async () => (await client.get('/vault')).json(),
    waiting: async () =>
      (await approvals.pending(ada.id)).map(({ sentence, arguments: sent }) => [
        sentence,
        Object.fromEntries(sent.map(({ name, text }) => [name, text])),
      ]),
    async approve() {
      for (const { row } of await approvals.pending(ada.id)) {
        const { id, user, digest } = row
        await approvals.decide({ id, user, digest, decision: 'approved', method: 'page', authTime: null })
      }
    },
  }
}

const type = (name: string): Record<string, string> => ({ 'content-type': name })

t.test('a body in another format is shown as the same body, without its secrets', async (t) => {
  const { client, waiting } = await open(t)
  const to = JSON.stringify({ iban: 'X1', code: '99' })
  const body = `{"amount":5,"note":"{}","pin":"1234","to":${to}}`
  const fields = `${new URLSearchParams({ amount: '5', note: '{}', pin: '1234', to })}`
  const formats = [
    ['application/json', body],
    ['application/x-www-form-urlencoded', fields],
    ['text/plain', body],
  ] as const
  for (const [format, payload] of formats) {
    const request = { method: 'POST', url: '/vault/payments', headers: type(format), payload } as const
    t.equal((await client.request(request)).statusCode, 428, format)
  }
  const hidden = '{\n  "iban": "X1",\n  "code": "••••••"\n}'
  const shown = (note: string) => ['Pay 5', { amount: '5', note, pin: '••••••', to: hidden }]
  // a form has texts alone: nothing else could be meant
  t.strictSame(await waiting(), [shown('"{}"'), shown('{}'), shown('"{}"')])
})

t.test('secrets within the JSON of a parameter are dots, in each of several', async (t) => {
  const { client, waiting } = await open(t)
  const account = encodeURIComponent(JSON.stringify({ iban: 'X1', code: '99' }))
  for (const query of [`account=${account}`, `account=${account}&account=${account}`])
    t.equal((await client.request({ method: 'DELETE', url: `/vault/accounts?${query}` })).statusCode, 428)
  t.match(JSON.stringify(await waiting()), /X1.*X1.*X1/)
  t.notMatch(JSON.stringify(await waiting()), '99')
})

t.test('numbers that JSON.stringify does not tell apart are other calls', async (t) => {
  const { client, approve, waiting, ran } = await open(t)
  const send = async (thing: string): Promise<number> => {
    const payload = `{"anything":${thing}}`
    const headers = type('application/json')
    return (await client.request({ method: 'POST', url: '/vault/things', headers, payload })).statusCode
  }
  t.strictSame([await send('null'), await send('0')], [428, 428])
  await approve()
  t.strictSame([await send('1e400'), await send('-0')], [428, 428])
  t.strictSame(await waiting(), [
    ['Keep “Infinity”', { anything: 'Infinity' }],
    ['Keep -0', { anything: '-0' }],
  ])
  t.strictSame(await ran(), [])

  const pairs = [
    ['"-0"', '-0'],
    ['-0', '0'],
    ['"Infinity"', '1e400'],
    ['1e400', '-1e400'],
    ['[-0]', '["-0"]'],
    ['{"a":1e400}', '{"a":"Infinity"}'],
    ['{"a":1e400}', '{"a":null}'],
  ] as const
  const statuses: unknown[] = []
  for (const [at, [approved, other]] of pairs.entries()) {
    await send(`[${at},${approved}]`)
    await approve()
    statuses.push([await send(`[${at},${other}]`), await send(`[${at},${approved}]`)])
  }
  t.strictSame(statuses, Array(pairs.length).fill([428, 200]), 'who approves one has not approved the other')
})

t.test(
  'what a parser of the application makes of a body is no other value that is shown alike',
  async (t) => {
    const { client, approve } = await open(t)
    const send = async (thing: string): Promise<number> => {
      const payload = `{"anything":${thing}}`
      const headers = type('text/x-made')
      return (await client.request({ method: 'POST', url: '/vault/things', headers, payload })).statusCode
    }
    const statuses: unknown[] = []
    for (const [at, [approved, other]] of madePairs.entries()) {
      await send(`[${at},${approved}]`)
      await approve()
      statuses.push([await send(`[${at},${other}]`), await send(`[${at},${approved}]`)])
    }
    t.strictSame(statuses, Array(madePairs.length).fill([428, 200]))
    t.equal(await send('{"$":"RegExp","of":"a"}'), 500)
  },
)

t.test('a call is told from others by what was sent, whatever a schema makes of it', async (t) => {
  const { client, approve, ran } = await open(t)
  const send = async (at: string): Promise<number> =>
    (await client.request({ method: 'POST', url: '/vault/dates', payload: { at } })).statusCode
  t.equal(await send('2026-01-01'), 428)
  await approve()
  t.strictSame([await send('2026-01-01T00:00:00.000Z'), await send('2026-01-01')], [428, 200])
  t.strictSame(await ran(), ['at 2 2026-01-01T00:00:00.000Z'])
})

t.test('issue: a text that reads as another value is shown in quotes', async (t) => {
  const { client, approve, waiting } = await open(t)
  const talk: Talk = { client, capabilities: {} }
  const values = [
    '1',
    1,
    'true',
    true,
    'null',
    null,
    '[]',
    [],
    '{"a":1}',
    '-2.5',
    -2.5,
    '"1"',
    '"\\"1\\""',
    'a',
    '"a"',
    ' 1',
    '01',
    'NaN',
    '1e3',
    '12345678901234567890',
    '-0',
    'Infinity',
    '-Infinity',
    '1e400',
    '{"a":-0}',
    '[Infinity]',
    '-0.0',
  ]
  const shown = [
    ...['"1"', '1', '"true"', 'true', '"null"', 'null', '"[]"', '[]', '{"a":1}', '"-2.5"', '-2.5'],
    ...[
      '"\\"1\\""',
      '"\\"\\\\\\"1\\\\\\"\\""',
      'a',
      '"a"',
      ' 1',
      '01',
      '"NaN"',
      '1e3',
      '12345678901234567890',
    ],
    ...['"-0"', '"Infinity"', '"-Infinity"', '1e400', '"{\\"a\\":-0}"', '"[Infinity]"', '-0.0'],
  ]
  const seen: unknown[] = []
  for (const [at, anything] of values.entries()) {
    if (at % 2 === 0) t.match(await called(talk, 'vault_keep', { anything }), { isError: true })
    else t.equal((await client.json('/vault/things', { anything })).statusCode, 428, 'as JSON over HTTP')
    const [[, sent]] = (await waiting()) as readonly [readonly [string, { anything: string }]]
    seen.push(sent.anything)
    await approve()
  }
  t.strictSame(seen, shown)
})

t.test('issue: a tool call is JSON: a number and the text of it are two calls', async (t) => {
  const { client, approve, ran } = await open(t)
  const talk: Talk = { client, capabilities: { elicitation: { form: {} } } }
  const keep = (anything: unknown): Promise<unknown> => called(talk, 'vault_keep', { anything })
  const pairs = [
    [1, '1'],
    [true, 'true'],
    [null, 'null'],
    [[1], ['1']],
    [{ a: 1 }, { a: '1' }],
    ['', ' '],
  ] as const
  for (const [approved, other] of pairs) {
    const before = await ran()
    t.match(await keep(approved), { isError: true })
    await approve()
    t.match(await keep(other), {
      isError: true,
      content: [{ text: /needs the approval of a person first/ }],
    })
    t.strictSame(await ran(), before, JSON.stringify(other))
    await approve()
    t.match(await keep(approved), { isError: undefined })
    t.match(await keep(other), { isError: undefined })
    t.strictSame(await ran(), [...before, `keep ${String(approved)}`, `keep ${String(other)}`])
  }
})

const count = (number: number): object => ({
  count: { action: 'accept', content: { count: number } },
})

t.test('what a client answers to a question of the method is a part of the call', async (t) => {
  const { client, approve, waiting, ran } = await open(t)
  const talk: Talk = { client, capabilities: { elicitation: { form: {} } } }
  t.match(await called(talk, 'vault_empty'), { isError: true })
  await approve()
  const forged = await called(talk, 'vault_empty', {}, { inputResponses: count(1000) })
  t.match(forged, { isError: true, content: [{ text: /needs the approval of a person first/ }] })
  const answer = { action: 'accept', content: { count: 1000 } }
  t.strictSame(await waiting(), [['Empty the vault', { 'count (answer)': JSON.stringify(answer, null, 2) }]])
  t.strictSame(await ran(), [])
})

t.test('a method that asks comes to an end: each round is approved', async (t) => {
  const { client, approve, ran } = await open(t)
  const talk: Talk = { client, capabilities: { elicitation: { form: {}, url: {} } } }
  const opened = { 'acmcp/approval': { action: 'accept' } }
  const asked = await called(talk, 'vault_empty')
  await approve()
  const again = { requestState: asked.requestState, inputResponses: opened }
  const question = await called(talk, 'vault_empty', {}, again)
  t.strictSame(Object.keys(question.inputRequests), ['count'])
  const answered = { requestState: question.requestState, inputResponses: count(3) }
  const second = await called(talk, 'vault_empty', {}, answered)
  t.strictSame(Object.keys(second.inputRequests), ['acmcp/approval'])
  await approve()
  const last = { requestState: second.requestState, inputResponses: opened }
  t.equal((await called(talk, 'vault_empty', {}, last)).structuredContent, 3)
  t.strictSame(await ran(), ['empty 3'])
})

t.test('what nests deeply is not made much longer to be shown', async (t) => {
  const { client, waiting } = await open(t)
  const list = `${'['.repeat(90)}${'1,'.repeat(60_000)}1${']'.repeat(90)}`
  const request = { method: 'POST', url: '/vault/things', headers: type('application/json') } as const
  const { statusCode } = await client.request({ ...request, payload: `{"anything":${list}}` })
  t.equal(statusCode, 428)
  t.match(await waiting(), [[/^Keep “\[\[/, { anything: list }]])
})

t.test('no value reads as a part of the sentence', async (t) => {
  const { client, waiting } = await open(t)
  const request = { method: 'POST', url: '/vault/things', headers: type('application/json') } as const
  for (const anything of [
    'nothing',
    '7\u2028Then all',
    '7＂ and „nothing« more',
    'a7',
    'b@c.example',
    "9'' of ’’all’´ or ′ ′ 7",
    "it's",
  ])
    await client.request({ ...request, payload: JSON.stringify({ anything }) })
  const sentences = ((await waiting()) as readonly [string][]).map(([sentence]) => sentence)
  t.strictSame(sentences.sort(), [
    ...[
      'Keep a7',
      'Keep b@c.example',
      'Keep “7 Then all”',
      "Keep “7' and 'nothing' more”",
      "Keep “9' of 'all' or ' 7”",
      "Keep “it's”",
      'Keep “nothing”',
    ],
  ])
})

t.test('a session of one user and a token of another: nobody is asked', async (t) => {
  const { app, waiting } = await open(t)
  const browser = app.client()
  await browser.signIn(ada)
  const sent = async (user: typeof ada): Promise<readonly unknown[]> => {
    const headers = { authorization: `Bearer ${await app.accessToken(user)}`, ...type('application/json') }
    const request = { method: 'POST', url: '/vault/things', headers, payload: '{"anything":7}' } as const
    const answer = await browser.request(request)
    return [answer.statusCode, answer.json().reason]
  }
  t.strictSame(await sent(bob), [403, 'no_user'])
  t.strictSame(await waiting(), [])
  t.strictSame(await sent(ada), [428, undefined])
})

t.test('a token that names no client is not shown as the browser of its user', async (t) => {
  const { app } = await open(t, {
    verifyToken: async (token) =>
      token === 'foreign' ? { user: ada, client: null, grant: null, scopes: ['api'] } : null,
  })
  const browser = app.client()
  await browser.signIn(ada)
  for (const client of [browser, app.client().withBearer('foreign')])
    t.equal((await client.json('/vault/things', { anything: 7 })).statusCode, 428)
  const waiting = await deskOf(app.application)?.pending(ada.id)
  t.strictSame(
    waiting?.map(({ client }) => client),
    [null, 'a program that has a token of yours'],
  )
})
