/** The guards of a batch run before its first call. Source: MCP 2025-03-26, batches. */
import t from 'tap'
import { type Credential, scopedApp, tokenOf, withCredential } from '../support/scoped.ts'
import { type Answer, type App, type Sent, serve } from '../support/support.ts'

const [api, reader, junk] = [tokenOf(['api']), tokenOf(['notes:read']), 'Bearer junk']

let nextId = 1
const callOf = (name: string, args: unknown = {}): object => ({
  jsonrpc: '2.0',
  id: nextId++,
  method: 'tools/call',
  params: { name, arguments: args },
})

const batch = (...messages: readonly unknown[]): Sent => ({ message: messages })

const ask = (app: App, sent: Sent, credential: Credential): Promise<Answer> =>
  app(withCredential(sent, credential))

const metadata = 'resource_metadata="https://notes.example/.well-known/oauth-protected-resource/mcp"'

function challengeOf({ status, headers, text }: Answer): unknown {
  return [status, headers['www-authenticate'], JSON.parse(text).error.message]
}

const insufficient = (scope: string) => [
  403,
  `Bearer error="insufficient_scope", scope="${scope}", ${metadata}`,
  'Forbidden: insufficient scope',
]

t.test(
  'scopes, batches: one refusal refuses the whole; the challenge names what all calls need',
  async (t) => {
    for (const isSdkOnly of [false, true]) {
      const { options, ran } = scopedApp(true, { isSdkOnly })
      const app = serve(options)
      const refused: readonly (readonly [Credential, readonly object[], string])[] = [
        [reader, [callOf('notes_index'), callOf('notes_create')], 'notes:read notes:write'],
        [reader, [callOf('files_answer'), callOf('notes_index')], 'notes:read files:read'],
        [
          reader,
          [callOf('notes_show'), callOf('call_tool', { name: 'notes_create' })],
          'notes:read notes:write',
        ],
        [
          api,
          [callOf('call_tool', { name: 'notes_delete' }), callOf('files_answer')],
          'notes:write notes:delete files:read',
        ],
        [reader, [callOf('users_current'), callOf('call_read_only', { name: 'files_answer' })], 'files:read'],
        [reader, [callOf('no_such'), callOf('notes_create', { title: 7 })], 'notes:write'],
      ]
      for (const [credential, messages, scope] of refused) {
        const answer = await ask(app, batch(...messages), credential)
        t.strictSame(challengeOf(answer), insufficient(scope), JSON.stringify(messages))
      }
      t.strictSame(ran, [], 'not even what came before')
    }
  },
)

/** The texts of the calls in a batch, by id. */
const textsOf = ({ text }: Answer): readonly unknown[] =>
  [...text.matchAll(/^data: (.*)$/gm)]
    .map(([, data = '']) => JSON.parse(data))
    .map(({ result, error }) => result?.content?.[0].text ?? error?.message ?? Object.keys(result))

t.test("batches: what is permitted runs; what reaches no route is nobody's to guard", async (t) => {
  const { options, ran } = scopedApp(true)
  const app = serve(options)
  const answer = await ask(
    app,
    batch(
      callOf('notes_index'),
      callOf('call_read_only', { name: 'notes_creat' }),
      callOf('call_read_only', { name: 'notes_create' }),
      callOf('call_tool', { name: 'notes_create', arguments: [] }),
      callOf('no_such'),
      { jsonrpc: '2.0', id: 'l', method: 'tools/list' },
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'notes_delete' } },
      callOf('call_tool', { name: 'notes_show' }),
    ),
    reader,
  )
  t.equal(answer.status, 200)
  t.strictSame(textsOf(answer), [
    '{"ran":"notes_index"}',
    'unknown tool "notes_creat"',
    'notes_create is not read-only: use call_tool',
    "'arguments' must be an object",
    'unknown tool "no_such"',
    ['tools'],
    '{"ran":"notes_show"}',
  ])
  t.strictSame(ran, ['notes_index', 'notes_show'])
})

t.test('batches: a refusal that is a failed call is one in its place', async (t) => {
  const { options, ran } = scopedApp(true)
  const app = serve(options)
  const forbidden = await ask(app, batch(callOf('notes_index'), callOf('notes_import')), api)
  t.match(textsOf(forbidden), ['{"ran":"notes_index"}', /^403 Forbidden\n\{"error":"forbidden"\}\nIts user/])
  const keyed = await ask(app, batch(callOf('notes_index'), callOf('files_answer')), 'key')
  t.match(textsOf(keyed), [/^401 Unauthorized\n.*\nA sign-in is needed/, '{"ran":"files_answer"}'])
  const open = scopedApp(false)
  const opened = await ask(serve(open.options), batch(callOf('notes_create'), callOf('notes_index')), reader)
  t.match(textsOf(opened), [/^403 Forbidden\n.*\nMore permission/, '{"ran":"notes_index"}'])
  t.strictSame([ran, open.ran], [['notes_index', 'files_answer'], ['notes_index']])
})

t.test('batches: without a valid token the whole is 401', async (t) => {
  const { options, ran } = scopedApp(true, { authProbe: null, authenticator: () => true })
  const answer = await ask(serve(options), batch(callOf('users_current'), callOf('notes_index')), junk)
  t.strictSame(challengeOf(answer), [
    401,
    `Bearer ${metadata}, scope="api", error="invalid_token"`,
    'Unauthorized',
  ])
  t.strictSame(ran, [])
})

t.test(
  'batches: what the guards refuse counts as a call; over the limit no further one is asked',
  async (t) => {
    const scoped = scopedApp(true)
    let requested = 0
    const guard: NonNullable<typeof scoped.options.guard> = (routeId, request) => {
      requested += 1
      return scoped.options.guard?.(routeId, request) ?? null
    }
    const app = serve({ ...scoped.options, guard, toolCallsPerMinute: 5 })
    const refused = ['notes_create', 'notes_create', 'notes_create']
    const answers: (readonly [number, number])[] = []
    for (let nth = 0; nth < 4; nth++) {
      requested = 0
      const { status } = await ask(app, batch(...refused.map((name) => callOf(name))), reader)
      answers.push([status, requested])
    }
    const over = [429, 1] as const
    t.strictSame(answers, [[403, 3], [429, 3], over, over])
    t.equal((await ask(app, { message: callOf('notes_index') }, reader)).status, 429, 'one by itself neither')
    t.strictSame(scoped.ran, [])
  },
)

t.test('batches: arguments that are nested too deeply fail their own call alone', async (t) => {
  const { options, ran } = scopedApp(true)
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const call = JSON.stringify(callOf('notes_show', { id: 'deep' })).replace('"deep"', deep)
  const bytes = new TextEncoder().encode(`[${call},${JSON.stringify(callOf('notes_index'))}]`)
  const body = { kind: 'bytes', contentType: 'application/json', read: async () => bytes } as const
  const { status, text } = await ask(serve(options), { body }, reader)
  t.equal(status, 200)
  t.match(text, /500 Internal Server Error.*notes_index/s)
  t.strictSame(ran, ['notes_index'])
})
