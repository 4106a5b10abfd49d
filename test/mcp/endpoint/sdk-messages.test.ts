/** What the SDKs send, and what other clients make of it: null for what is absent, ids, revisions, `Accept`. Each answer is compared
 *  whole. Source: rules.md, Accept of a message, null members and revisions; MCP 2025-11-25 and 2026-07-28, Streamable HTTP. */
import { Client as ClientV2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t from 'tap'
import { type Answer, message, rpc, type Sent, serve, serveAll } from '../support/support.ts'
import { legacyMessages, modernMessages, type Sdk, type SdkMessage } from './sdk-messages.ts'

const app = serve()
const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

type Json = Readonly<Record<string, unknown>>

/** The answers that the table calls by a name, as the plainest message gets them. */
async function namedAnswers(era: 'legacy' | 'modern'): Promise<Readonly<Record<string, unknown>>> {
  const result = async (method: string, params: Json = {}): Promise<unknown> => {
    const { jsonrpc: _, id: __, ...answer } = rpc(await app(message(era, method, params)))
    return answer
  }
  const tools = await result('tools/list')
  const shown = await result('tools/call', { name: 'notes_show', arguments: { id: '1' } })
  const notes = await result('tools/call', { name: 'notes_index' })
  if (era === 'modern') return { tools, shown, notes, discovered: await result('server/discover') }
  const capabilities = { tools: { listChanged: true } }
  const initialized = {
    result: {
      protocolVersion: '2025-11-25',
      capabilities,
      serverInfo: { name: 'notes', version: '1.2.3' },
      instructions: 'Notes of the signed-in user.\n\n- notes: Notes.',
    },
  }
  return { tools, shown, notes, initialized }
}

const whole = (answer: Answer): readonly unknown[] => [answer.status, answer.text === '' ? null : rpc(answer)]

const eras = [
  ['legacy', legacyMessages],
  ['modern', modernMessages],
] as const

for (const [era, messages] of eras) {
  t.test(`the ${era} messages of the SDKs get these answers`, async (t) => {
    const named = await namedAnswers(era)
    for (const { by, head, message, status, answer } of messages) {
      const body = typeof answer === 'string' ? named[answer] : answer
      const expected = body === null ? null : { jsonrpc: '2.0', id: message.id, ...Object(body) }
      const sent = { headers: { ...usual, ...head } as Record<string, string>, message }
      t.strictSame(whole(await app(sent)), [status, expected], `${by.join(', ')}: ${JSON.stringify(message)}`)
    }
  })
}

/** What goes over the wire, in place of a connection; a call that is to be cancelled gets no answer. */
function recorder() {
  const sent: { head: Json; message: { method: string; id?: unknown; params?: Json } }[] = []
  const state = { isSilent: false }
  const fetch = async (_: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { accept: _accept, 'content-type': _type, ...head } = Object.fromEntries(new Headers(init.headers))
    if (init.method !== 'POST') return new Response('', { status: 405 })
    const message = JSON.parse(String(init.body))
    sent.push({ head, message })
    if (state.isSilent && message.method === 'tools/call')
      return new Promise((_, reject) =>
        init.signal?.addEventListener('abort', () => reject(new Error('gone'))),
      )
    const answer = await app({ headers: { ...usual, ...head }, message })
    const { status } = answer
    return new Response(answer.text === '' ? null : answer.text, {
      status,
      headers: { ...answer.headers } as HeadersInit,
    })
  }
  return { sent, state, fetch }
}

const address = new URL('https://notes.example/mcp')
const info = { name: 'c', version: '0' }

/** What both versions of the client have; of a call the first takes options behind a schema. */
async function use(client: ClientV1 | ClientV2, state: { isSilent: boolean }): Promise<void> {
  const options = (given: object): unknown[] => (client instanceof ClientV1 ? [undefined, given] : [given])
  const callTool = client.callTool.bind(client) as (...args: unknown[]) => Promise<unknown>
  const cancelling = async (): Promise<unknown> => {
    const leaving = new AbortController()
    state.isSilent = true
    const calling = callTool({ name: 'notes_index' }, ...options({ signal: leaving.signal }))
    await new Promise(setImmediate)
    leaving.abort('gone')
    return calling
  }
  const completion = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } } as const
  for (const step of [
    () => client.ping(),
    () => client.listTools(),
    () => client.listTools({ cursor: 'x' }),
    () => client.listTools({}),
    () => callTool({ name: 'notes_index' }),
    () => callTool({ name: 'notes_show', arguments: { id: '1' } }),
    () => callTool({ name: 'notes_index', arguments: {} }, ...options({ onprogress: () => {} })),
    () => client.listPrompts(),
    () => client.getPrompt({ name: 'p' }),
    () => client.listResources(),
    () => client.listResourceTemplates(),
    () => client.readResource({ uri: 'a:b' }),
    () => client.complete(completion),
    () => client.setLoggingLevel('info'),
    () => client.subscribeResource({ uri: 'a:b' }),
    cancelling,
  ])
    await step().catch(() => {}) // most of it there is none of here
}

/** Without what counts up. */
function form({ head, message }: { readonly head: Json; readonly message: Json }): string {
  const { id, params, ...others } = message
  const { requestId: _, ...rest } = Object(params)
  const meta = Object(rest._meta)
  const token = 'progressToken' in meta ? { progressToken: 'a number' } : {}
  const known =
    params === undefined
      ? {}
      : { params: { ...rest, ...(rest._meta ? { _meta: { ...meta, ...token } } : {}) } }
  const all = { head, ...others, hasId: id !== undefined, ...known }
  return JSON.stringify(all, (_, value) =>
    value?.constructor === Object ? Object.fromEntries(Object.entries(value).sort()) : value,
  )
}

const ofSdk = (messages: readonly SdkMessage[], sdk: Sdk): readonly string[] =>
  [...new Set(messages.filter(({ by }) => by.includes(sdk)).map(form))].sort()

t.test('the TypeScript SDK sends what the table says of it', async (t) => {
  for (const [sdk, mode] of [
    ['ts1', null],
    ['ts2', 'legacy'],
    ['ts2-auto', 'auto'],
  ] as const) {
    const { sent, state, fetch } = recorder()
    if (mode === null) {
      const client = new ClientV1(info)
      await client.connect(new TransportV1(address, { fetch }))
      await use(client, state)
      await client.close()
    } else {
      const client = new ClientV2(info, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(address, { fetch }))
      await use(client, state)
      await client.close()
    }
    t.strictSame([...new Set(sent.map(form))].sort(), ofSdk([...legacyMessages, ...modernMessages], sdk), sdk)
  }
})

const version = 'io.modelcontextprotocol/protocolVersion'
const capabilities = 'io.modelcontextprotocol/clientCapabilities'
const envelope = { [version]: '2026-07-28', [capabilities]: {} }
const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info }

/** A message of that era with these parameters as they are. */
function raw(era: 'legacy' | 'modern', method: string, params: unknown): Sent {
  const { headers } = message(era, method, Object(params))
  return { ...(headers === undefined ? {} : { headers }), message: { jsonrpc: '2.0', id: 1, method, params } }
}

t.test('decisions, null members: what is null is absent, in both eras', async (t) => {
  const nothing = { cursor: null, _meta: null }
  const pairs: readonly (readonly [Sent, Sent])[] = [
    [raw('legacy', 'tools/list', null), message('legacy', 'tools/list')],
    [raw('legacy', 'tools/list', nothing), message('legacy', 'tools/list')],
    [raw('legacy', 'tools/list', { _meta: { progressToken: null } }), message('legacy', 'tools/list')],
    [raw('legacy', 'ping', null), message('legacy', 'ping')],
    [
      raw('legacy', 'tools/call', { name: 'notes_index', arguments: null, _meta: null, task: null }),
      message('legacy', 'tools/call', { name: 'notes_index' }),
    ],
    [
      raw('legacy', 'prompts/get', { name: 'p', arguments: { a: null } }),
      message('legacy', 'prompts/get', { name: 'p' }),
    ],
    [
      raw('legacy', 'initialize', {
        ...initialize,
        capabilities: { roots: null, elicitation: { form: null } },
        clientInfo: { ...info, title: null, icons: null },
      }),
      message('legacy', 'initialize', initialize),
    ],
    [
      raw('modern', 'tools/list', {
        cursor: null,
        _meta: { ...envelope, progressToken: null, 'io.modelcontextprotocol/logLevel': null },
      }),
      message('modern', 'tools/list'),
    ],
    [
      raw('modern', 'tools/list', {
        _meta: {
          ...envelope,
          [capabilities]: { roots: null, elicitation: { url: null } },
          'io.modelcontextprotocol/clientInfo': null,
        },
      }),
      message('modern', 'tools/list'),
    ],
    [
      raw('modern', 'tools/call', {
        name: 'notes_index',
        arguments: null,
        inputResponses: null,
        requestState: null,
        _meta: envelope,
      }),
      message('modern', 'tools/call', { name: 'notes_index' }),
    ],
    [
      { message: { jsonrpc: '2.0', id: 1, method: 'ping', params: null, result: null, error: null } },
      message('legacy', 'ping'),
    ],
    [
      { message: [{ jsonrpc: '2.0', id: 1, method: 'ping', params: null }] },
      { message: [{ jsonrpc: '2.0', id: 1, method: 'ping' }] },
    ],
  ]
  for (const [sent, plain] of pairs)
    t.strictSame(whole(await app(sent)), whole(await app(plain)), JSON.stringify(sent.message))
  for (const method of ['notifications/initialized', 'notifications/cancelled'])
    t.strictSame(
      whole(await app({ message: { jsonrpc: '2.0', id: null, method, params: null } })),
      [202, null],
      method,
    )
  const answered = { message: { jsonrpc: '2.0', id: 1, result: { content: null } } }
  t.strictSame(whole(await app(answered)), [202, null], 'of an answer nothing is taken away')
})

t.test('decisions, null members: what is missing or wrong is -32602 in one sentence', async (t) => {
  const wrong: readonly (readonly [string, unknown, string, number?])[] = [
    ['initialize', undefined, 'params is missing'],
    ['initialize', null, 'params is missing'],
    ['initialize', { ...initialize, protocolVersion: null }, 'protocolVersion is missing'],
    ['initialize', { capabilities: {}, clientInfo: info }, 'protocolVersion is missing'],
    ['initialize', { ...initialize, protocolVersion: 5 }, 'protocolVersion must be a text'],
    ['initialize', { ...initialize, capabilities: null }, 'capabilities is missing'],
    [
      'initialize',
      { ...initialize, clientInfo: { name: 'c', version: null } },
      'clientInfo.version is missing',
    ],
    ['tools/list', { cursor: 5 }, 'cursor must be a text'],
    ['tools/call', { name: null }, 'name is missing'],
    ['tools/call', { name: 'notes_index', arguments: [] }, 'arguments must be an object'],
    ['tools/call', { name: 'notes_index', arguments: 'x' }, 'arguments must be an object'],
    ['tools/list', [], 'params must be an object', 400],
    ['tools/list', 'x', 'params must be an object', 400],
    ['tools/list', { _meta: 5 }, '_meta must be an object', 400],
    ['tools/list', { _meta: { progressToken: {} } }, `_meta.progressToken ${wholeOrText}`, 400],
  ]
  for (const [method, params, sentence, status = 200] of wrong) {
    const error = { code: -32602, message: `Invalid params: ${sentence}` }
    t.strictSame(
      whole(await app(raw('legacy', method, params))),
      [status, { jsonrpc: '2.0', id: 1, error }],
      `${method} ${sentence}`,
    )
  }
  for (const [params, sentence] of [
    [{ cursor: 5, _meta: envelope }, 'cursor must be a text'],
    [{ cursor: {}, _meta: envelope }, 'cursor must be a text'],
  ] as const)
    t.strictSame(whole(await app(raw('modern', 'tools/list', params))), [
      200,
      { jsonrpc: '2.0', id: 1, error: { code: -32602, message: `Invalid params: ${sentence}` } },
    ])
})

const wholeOrText = 'must be a text or a whole number between -(2^53 - 1) and 2^53 - 1'

t.test('decisions, null members: an id that no answer could repeat is refused', async (t) => {
  const refused = {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32602, message: `Invalid params: id ${wholeOrText}` },
  }
  for (const method of ['ping', 'tools/list', 'tools/call', 'initialize'])
    for (const id of [2 ** 53, -(2 ** 53), 1e300, 1.5, null, true, {}, []])
      t.strictSame(
        whole(await app({ message: { jsonrpc: '2.0', id, method } })),
        [400, refused],
        `${method} ${JSON.stringify(id)}`,
      )
  for (const method of ['ping', 'tools/list', 'tools/call', 'initialize', 'prompts/get', 'tasks/get'])
    for (const id of ['\ud800', '\udc36x', '\udc36\ud83d', `${'a'.repeat(200)}\ud83d`]) {
      const error = { code: -32602, message: 'Invalid params: id must not contain half a character' }
      t.strictSame(
        whole(await app({ message: { jsonrpc: '2.0', id, method } })),
        [400, { jsonrpc: '2.0', id: null, error }],
        `${method} ${JSON.stringify(id)}`,
      )
    }
  for (const id of [0, -1, 2 ** 53 - 1, '', 'a', '9007199254740993', '🐶', '\\ud800'])
    t.strictSame(
      whole(await app({ message: { jsonrpc: '2.0', id, method: 'ping' } })),
      [200, { jsonrpc: '2.0', id, result: {} }],
      JSON.stringify(id),
    )
})

t.test(
  'decisions, revisions: an unknown one in the header is told which there are, whatever the message',
  async (t) => {
    const supported = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']
    for (const requested of ['2099-01-01', '2025-12-01', '2024-01-01', '1.0', 'junk', ''])
      for (const method of ['initialize', 'tools/list', 'ping']) {
        const sent = {
          headers: { 'mcp-protocol-version': requested },
          message: { jsonrpc: '2.0', id: 1, method, params: initialize },
        }
        const text = `Unsupported protocol version: ${requested} (supported versions: ${supported.join(', ')})`
        const error = { code: -32022, message: text, data: { supported, requested } }
        t.strictSame(
          whole(await app(sent)),
          [400, { jsonrpc: '2.0', id: 1, error }],
          `${method} ${requested}`,
        )
      }
    for (const protocolVersion of ['2099-01-01', '1.0', '2026-07-28']) {
      const begun = rpc(await app(message('legacy', 'initialize', { ...initialize, protocolVersion })))
      t.equal(begun.result.protocolVersion, '2025-11-25', 'an initialize is told the latest that it can have')
    }
  },
)

t.test(
  'decisions, Accept of a message: what RFC 9110 takes for JSON or an event stream is taken, and gets that',
  async (t) => {
    const plain = [200, { jsonrpc: '2.0', id: 1, result: {} }]
    const [json, stream] = ['application/json', 'text/event-stream']
    const forms: readonly (readonly [string, string])[] = [
      ['*/*', stream],
      ['', stream],
      ['Application/JSON, Text/Event-Stream', stream],
      ['application/json,text/event-stream;q=0.5', stream],
      ['text/*, application/*', stream],
      ['text/html, */*;q=0.1', stream],
      ['application/json', json],
      ['APPLICATION/JSON', json],
      ['application/*', json],
      ['application/json; charset=utf-8', json],
      ['application/json, text/event-stream;q=0', json],
      ['text/event-stream', stream],
      ['application/json;q=0, */*', stream],
    ]
    for (const [accept, type] of forms) {
      const answer = await app({ ...message('legacy', 'ping'), headers: { accept } })
      t.strictSame(
        [...whole(answer), String(answer.headers['content-type']).split(';')[0]],
        [...plain, type],
        accept,
      )
      for (const era of ['legacy', 'modern'] as const) {
        const sent = message(era, 'tools/call', { name: 'notes_index', _meta: { progressToken: 1 } })
        const called = await app({ ...sent, headers: { ...sent.headers, accept } })
        t.strictSame(
          whole(called),
          whole(await app(message(era, 'tools/call', { name: 'notes_index' }))),
          `${era} ${accept}`,
        )
        const onlyStream = accept === 'text/event-stream' || accept.startsWith('application/json;q=0')
        t.equal(String(called.headers['content-type']).startsWith(stream), onlyStream, accept)
      }
    }
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ]
    const batched = await app({ message: batch, headers: { accept: 'application/json' } })
    t.strictSame(
      JSON.parse(batched.text),
      batch.map(({ id }) => ({ jsonrpc: '2.0', id, result: {} })),
    )
    const listening = message('modern', 'subscriptions/listen', { notifications: { toolsListChanged: true } })
    t.equal(
      (await app({ ...listening, headers: { ...listening.headers, accept: 'application/json' } })).status,
      406,
    )
    const refused = await app({ ...message('legacy', 'ping'), headers: { accept: 'text/html' } })
    t.equal(refused.status, 406)
  },
)

t.test('decisions, Accept of a message: a GET stream is for who names it, in any case', async (t) => {
  const { handle } = serveAll()
  for (const [accept, status] of [
    ['text/event-stream', 200],
    ['Text/Event-Stream', 200],
    ['application/json, text/event-stream', 200],
    ['text/event-stream;q=0', 405],
    ['*/*', 405],
    ['application/json', 405],
  ] as const)
    t.equal((await handle({ method: 'GET', headers: { accept } })).status, status, accept)
})
