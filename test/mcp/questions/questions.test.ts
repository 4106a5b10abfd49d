/** Questions to users, typed by interfaces, in tools, prompts and resources. */
import t, { type Test } from 'tap'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import { openGuarded } from '../support/guarded.ts'
import { accepted, buildRefunds, called, reported, type Talk } from './refunds.ts'

t.setTimeout(240_000) // a busy machine

const { bundle } = await buildRefunds()

const hooked: string[] = []
const plugin: AppPlugin = async (app) => {
  app.addHook('onRequest', async ({ url }) => void hooked.push(url))
}

async function open(t: Test, plugins: readonly AppPlugin[] = [], clock: () => number = Date.now) {
  const opened = await openGuarded(t, bundle, { isOn: false, config: { plugins: [...plugins] }, clock })
  const client = opened.app.client().withBearer(await opened.tokenOf('refunds:write'))
  return { ...opened, client }
}

const post = (client: Talk['client'], url: string, payload: object) =>
  client.request({ method: 'POST', url, payload })

const consentForm = {
  type: 'object',
  properties: {
    sure: { type: 'boolean', description: 'Pay it back?' },
    reason: {
      type: 'string',
      oneOf: [
        { const: 'damaged', title: 'It arrived broken' },
        { const: 'late', title: 'It came too late' },
        { const: 'other', title: 'other' },
      ],
      default: 'damaged',
      description: 'Why',
    },
  },
  required: ['sure'],
}
const contactForm = {
  type: 'object',
  properties: {
    mail: { type: 'string', format: 'email', title: 'E-mail' },
    stars: { type: 'integer', minimum: 1, maximum: 5 },
    site: { type: 'string', format: 'uri' },
    since: { type: 'string', format: 'date-time' },
    nick: { type: 'string', maxLength: 20 },
    topics: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'news', title: 'What is new' },
          { const: 'offers', title: 'offers' },
        ],
      },
    },
    share: { type: 'number' },
  },
  required: ['mail', 'stars', 'nick'],
}
const requests = (message: string, requestedSchema: object): object => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema },
})
const contact = { mail: 'a@b.example', stars: 3, nick: 'Ada', topics: ['news'] }

for (const plugins of [[], [plugin]]) {
  const how = plugins.length === 0 ? 'directly' : 'behind plugins'
  t.test(`a parameter that the user is asked for: ${how}`, async (t) => {
    const talk: Talk = await open(t, plugins)
    const requested = await called(talk, 'refunds_create', { cents: 500 })
    t.strictSame(requested, {
      inputRequests: { consent: requests('Refund 500 cents?', consentForm) },
      resultType: 'input_required',
    })
    const retry = (answer: unknown, more = {}) =>
      called(talk, 'refunds_create', { cents: 500 }, { inputResponses: { consent: answer, ...more } })
    const done = { cents: 500, reason: 'late' }
    t.match(await retry(accepted({ sure: true, reason: 'late', extra: 1 }), { other: accepted({ a: 1 }) }), {
      resultType: 'complete',
      structuredContent: done,
    })
    const wrong = [
      ...[{ sure: 'yes' }, { reason: 'late' }, { sure: true, reason: 'never' }, {}].map(accepted),
      ...[12345, null, 'x', {}, { action: 'accept' }, { content: { sure: true } }],
    ]
    for (const answer of wrong) t.strictSame(await retry(answer), requested, JSON.stringify(answer))
    const failed = (text: string): object => ({ content: [{ type: 'text', text }], isError: true })
    t.match(await retry({ action: 'decline' }), failed("the user declined the question 'consent'"))
    t.match(await retry({ action: 'cancel' }), failed("the user dismissed the question 'consent'"))
    const passed = { cents: 500, consent: { sure: true, reason: 'late' } }
    t.match(await called(talk, 'refunds_create', passed), { structuredContent: done }, 'as an argument')
    t.ok(plugins.length === 0 || hooked.some((url) => url.startsWith('/refunds')), 'the hooks run for it')
  })
}

t.test('a client that cannot be asked is told what to pass, in both eras', async (t) => {
  const { client } = await open(t)
  const text = [
    'refunds_create needs an answer of the user, whom this client cannot ask for it.',
    'Ask the user yourself, and call refunds_create again with the same arguments and this one:',
    'consent: Refund 500 cents?',
    `  schema: ${JSON.stringify(consentForm)}`,
  ].join('\n')
  const talks: readonly Talk[] = [
    { client, era: 'legacy' },
    { client, capabilities: {} },
    { client, capabilities: { elicitation: { url: {} } } },
  ]
  for (const talk of talks) {
    const { content, isError } = await called(talk, 'refunds_create', { cents: 500 })
    t.strictSame([content, isError], [[{ type: 'text', text }], true])
    const passed = { cents: 500, consent: { sure: true } }
    t.match(await called(talk, 'refunds_create', passed), { structuredContent: { cents: 500 } })
  }
  const { content } = await called({ client, era: 'legacy' }, 'refunds_both')
  t.match(content[0].text, /and these:\nconsent: Sure\?\n.*\ncontact: Whom to tell\?\n/)
})

t.test('several questions at once, and in rounds of which the answers are kept', async (t) => {
  const talk: Talk = await open(t)
  const both = { consent: requests('Sure?', consentForm), contact: requests('Whom to tell?', contactForm) }
  t.strictSame((await called(talk, 'refunds_both')).inputRequests, both)
  const answers = { consent: accepted({ sure: true }), contact: accepted(contact) }
  t.match(await called(talk, 'refunds_both', {}, { inputResponses: answers }), {
    structuredContent: { consent: { sure: true }, contact },
  })
  const value = await called(talk, 'refunds_both', {}, { inputResponses: { consent: answers.consent } })
  t.strictSame(value.inputRequests, { contact: both.contact }, 'what is missing is asked for again')
  const { requestState } = value
  const other = await called(
    talk,
    'refunds_both',
    {},
    { requestState, inputResponses: { contact: answers.contact } },
  )
  t.match(other, { structuredContent: { contact } }, 'the first answer has been kept')

  const first = await called(talk, 'refunds_rounds')
  t.strictSame(Object.keys(first.inputRequests), ['consent'])
  const second = await called(
    talk,
    'refunds_rounds',
    {},
    {
      requestState: first.requestState,
      inputResponses: { consent: answers.consent },
    },
  )
  t.strictSame(Object.keys(second.inputRequests), ['contact'])
  t.not(second.requestState, first.requestState)
  const third = await called(
    talk,
    'refunds_rounds',
    {},
    {
      requestState: second.requestState,
      inputResponses: { contact: answers.contact },
    },
  )
  t.strictSame(third.structuredContent, { consent: { sure: true }, contact, round: 2 })
})

t.test('a state is refused when it is changed, too old, or of another caller or call', async (t) => {
  let now = Date.now()
  const opened = await open(t, [], () => now)
  const { client } = opened
  const { requestState } = await called({ client }, 'refunds_rounds')
  const stranger = opened.app.client().withBearer(await opened.tokenOf('refunds:write', 'bob'))
  const isRefused = async (talk: Talk, state: string, name = 'refunds_rounds'): Promise<boolean> => {
    const more = { requestState: state, inputResponses: { consent: accepted({ sure: true }) } }
    const { code, message } = await called(talk, name, {}, more)
    return code === -32602 && message === 'Invalid or expired requestState'
  }
  t.ok(await isRefused({ client }, `${requestState}-TAMPERED`))
  t.ok(await isRefused({ client: stranger }, requestState))
  t.ok(await isRefused({ client }, requestState, 'refunds_both'))
  t.notOk(await isRefused({ client }, requestState))
  const read = async (uri: string, more: object) =>
    (await reported({ client }, 'resources/read', { uri, ...more })).said
  const requested = await read('refunds://7', {})
  const answer = {
    requestState: requested.requestState,
    inputResponses: { consent: accepted({ sure: true }) },
  }
  t.equal((await read('refunds://8', answer)).code, -32602, 'of another resource')
  t.strictSame(JSON.parse((await read('refunds://7', answer)).contents[0].text), { id: 7, sure: true })
  now += 600_000
  t.ok(await isRefused({ client }, requestState), 'too old')
})

t.test('an answer that is nested too deeply to be carried along is told so', async (t) => {
  const { client } = await open(t)
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  }
  const params = { name: 'refunds_rounds', inputResponses: { consent: accepted({ sure: true, more: '…' }) } }
  const sent = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } }
  const answer = await client.request({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': params.name,
    },
    payload: JSON.stringify(sent).replace('"…"', '['.repeat(20_000) + ']'.repeat(20_000)),
  })
  t.match(answer.json().result, {
    isError: true,
    content: [{ text: /^400 Bad Request\n.* nested too deeply$/ }],
  })
})

t.test('prompts and resources ask too', async (t) => {
  const { client } = await open(t)
  const letter = async (talk: Talk, more: object = {}, args: object = {}) =>
    reported(talk, 'prompts/get', { name: 'refunds_letter', arguments: { buyer: 'Bob', ...args }, ...more })
  const { prompts } = (await reported({ client }, 'prompts/list', {})).said
  t.strictSame(prompts[0].arguments, [{ name: 'buyer', description: 'to whom', required: true }])
  const requested = { consent: requests('Write to Bob?', consentForm) }
  t.strictSame((await letter({ client })).said.inputRequests, requested)
  const inputResponses = { consent: accepted({ sure: true }) }
  const content = { type: 'text', text: 'To Bob: true' }
  t.match((await letter({ client }, { inputResponses })).said.messages, [{ role: 'user', content }])
  t.match(
    (await letter({ client, era: 'legacy' })).said.message,
    /^refunds_letter needs an answer of the user/,
  )
  const json = { consent: '{"sure":true}' }
  t.match((await letter({ client, era: 'legacy' }, {}, json)).said.messages, [{ content }], 'as JSON')
  t.match((await reported({ client, era: 'legacy' }, 'resources/read', { uri: 'refunds://7' })).said, {
    message: /^refunds_show needs an answer of the user/,
  })
})

t.test('forms made at run time, addresses, and questions that nobody can answer', async (t) => {
  const { client } = await open(t)
  const talk: Talk = { client }
  const requested = await called(talk, 'refunds_account')
  t.equal(requested.inputRequests.account.params.message, 'Which account?')
  const answer = (content: object) =>
    called(talk, 'refunds_account', {}, { inputResponses: { account: content } })
  t.strictSame(await answer(accepted({ iban: 'CH3' })), requested, 'a wrong answer is asked for again')
  t.strictSame((await answer(accepted({ iban: 'CH2', more: 1 }))).structuredContent, { iban: 'CH2' })
  t.match(await answer({ action: 'decline' }), { isError: true })

  const withUrl: Talk = { client, capabilities: { elicitation: { url: {} } } }
  const params = { mode: 'url', message: 'Sign in', url: 'https://bank.example/7' }
  t.strictSame((await called(withUrl, 'refunds_bank')).inputRequests, {
    bank: { method: 'elicitation/create', params },
  })
  const bank = { inputResponses: { bank: { action: 'accept' } } }
  t.match(await called(withUrl, 'refunds_bank', {}, bank), { content: [{ text: '"back from the bank"' }] })
  const unable = await reported(talk, 'tools/call', { name: 'refunds_bank', arguments: {} })
  t.match(unable, {
    status: 400,
    said: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } },
  })
  const legacy = await called({ client, era: 'legacy' }, 'refunds_bank')
  t.match(legacy.content[0].text, /asks its user for input: that needs a client of MCP 2026-07-28$/)

  t.match(await called(talk, 'refunds_unknown'), { isError: true })
})

t.test('over HTTP: 422 with the questions, and the answer in the same request', async (t) => {
  const { client, app } = await open(t)
  const requested = await post(client, '/refunds', { cents: 500 })
  const questions = { consent: { message: 'Refund 500 cents?', schema: consentForm } }
  t.strictSame(
    [requested.statusCode, requested.json()],
    [422, { error: 'input of the user is required', questions }],
  )
  const consent = { sure: true, reason: 'late' }
  const done = await post(client, '/refunds', { cents: 500, consent })
  t.strictSame([done.statusCode, done.json()], [200, { cents: 500, reason: 'late' }])
  const wrong = await post(client, '/refunds', { cents: 500, consent: { sure: 'maybe' } })
  t.match([wrong.statusCode, wrong.json()], [400, { parameter: 'consent.sure' }])
  const inQuery = encodeURIComponent(JSON.stringify(consent))
  t.strictSame((await client.get(`/refunds/7?consent=${inQuery}`)).json(), { id: 7, sure: true })
  const whole = await post(client, `/refunds/whole?consent=${inQuery}`, { product: 'tea' })
  t.strictSame(whole.json(), { order: { product: 'tea' }, consent }, 'beside a whole body')
  const bank = await post(client, '/refunds/bank', {})
  t.match([bank.statusCode, bank.json().questions], [422, { bank: { url: 'https://bank.example/7' } }])
  t.equal((await post(client, '/bare', {})).statusCode, 500, 'without the shipped base')
  t.equal((await post(client, '/bare', { consent })).statusCode, 200)
  t.equal((await post(client, '/refunds/unknown', {})).statusCode, 500)
  const bob = app
    .client()
    .withBearer((await app.application.developmentToken('dev:ada', 'refunds:read')).accessToken)
  t.equal((await post(bob, '/refunds', { cents: 500, consent })).statusCode, 403, 'guards come first')
})
