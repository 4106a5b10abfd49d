/** What becomes of a call without permission: before the first byte over HTTP, or a failed call in the scope's words. */
import t from 'tap'
import { type Credential, scopedApp, tokenOf, withCredential } from '../support/scoped.ts'
import { type Answer, type App, type Era, message, rpc, type Sent, serve } from '../support/support.ts'

const eras: readonly Era[] = ['legacy', 'modern']
const [api, reader, junk] = [tokenOf(['api']), tokenOf(['notes:read']), 'Bearer junk']

interface Way {
  readonly tool: string
  readonly era: Era
  readonly via: 'direct' | 'call_tool' | 'call_read_only'
  readonly hasProgress: boolean
}

/** Every way in which one tool is called. */
function waysOf(tool: string, isReadOnly: boolean): readonly Way[] {
  const vias = ['direct', 'call_tool', ...(isReadOnly ? ['call_read_only'] : [])] as readonly Way['via'][]
  return eras.flatMap((era) =>
    vias.flatMap((via) => [true, false].map((hasProgress) => ({ tool, era, via, hasProgress }))),
  )
}

function callOf({ tool, era, via, hasProgress }: Way): Sent {
  const plain = via === 'direct' ? { name: tool, arguments: {} } : { name: via, arguments: { name: tool } }
  const sent = message(era, 'tools/call', plain)
  if (!hasProgress) return sent
  const params = Object(Object(sent.message).params)
  const withToken = { ...params, _meta: { ...params._meta, progressToken: 7 } }
  return { ...sent, message: { ...Object(sent.message), params: withToken } }
}

const ask = (app: App, sent: Sent, credential: Credential): Promise<Answer> =>
  app(withCredential(sent, credential))

const metadata = 'resource_metadata="https://notes.example/.well-known/oauth-protected-resource/mcp"'
const refused = (status: number, message: string, challenge: string) => ({
  status,
  headers: {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'www-authenticate': challenge,
  },
  text: JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message }, id: null }),
})
const insufficient = (scope: string) =>
  refused(
    403,
    'Forbidden: insufficient scope',
    `Bearer error="insufficient_scope", scope="${scope}", ${metadata}`,
  )

/** The text of a failed call. */
function failure(answer: Answer): string {
  const { result } = rpc(answer)
  if (answer.status !== 200 || result.isError !== true || result.content.length !== 1)
    throw new Error(answer.text)
  return result.content[0].text
}

const table: readonly (readonly [string, boolean, Credential, string | RegExp])[] = [
  ['notes_create', false, reader, 'notes:write'],
  ['notes_delete', false, api, 'notes:write notes:delete'],
  ['notes_delete', false, reader, 'notes:write notes:delete'],
  ['notes_index', true, tokenOf(['files:read']), 'notes:read'],
  ['files_answer', true, reader, 'files:read'],
  ['notes_import', false, tokenOf(['api'], { user: 'dev:root' }), 'notes:write admin'],
]

t.test(
  'scopes of calls: a 403 before the first byte names what the route needs, whatever the way',
  async (t) => {
    for (const isSdkOnly of [false, true]) {
      const { options, ran } = scopedApp(true, { isSdkOnly })
      const app = serve(options)
      for (const [tool, isReadOnly, credential, scope] of table) {
        for (const way of waysOf(tool, isReadOnly)) {
          const answer = await ask(app, callOf(way), credential)
          t.strictSame(answer, insufficient(String(scope)), JSON.stringify(way))
        }
      }
      t.strictSame(ran, [])
    }
  },
)

t.test('calls: at the address of a toolbox the challenge names its metadata', async (t) => {
  const app = serve(scopedApp(true).options)
  const { headers } = await ask(
    app,
    { ...callOf(waysOf('notes_create', false)[1] as Way), url: '/mcp/notes' },
    reader,
  ) // there are four
  t.match(headers['www-authenticate'], /scope="notes:write", resource_metadata="[^"]*\/mcp\/notes"$/)
})

t.test('calls: what is permitted runs, by token, key and session', async (t) => {
  const allowed: readonly (readonly [string, boolean, Credential])[] = [
    ['notes_create', false, api],
    ['notes_index', true, reader],
    ['notes_delete', false, tokenOf(['notes:write', 'notes:delete'])],
    ['notes_show', true, 'key'],
    ['files_answer', true, 'key'],
    ['files_answer', true, 'session'],
  ]
  for (const isOn of [true, false]) {
    const { options, ran } = scopedApp(isOn)
    const app = serve(options)
    for (const [tool, isReadOnly, credential] of allowed) {
      for (const way of waysOf(tool, isReadOnly)) {
        const answer = await ask(app, callOf(way), credential)
        t.strictSame(rpc(answer).result.content[0].text, `{"ran":"${tool}"}`, JSON.stringify(way))
        t.equal(ran.pop(), tool)
      }
    }
  }
})

t.test('calls: no valid token is 401 with the first challenge', async (t) => {
  const { options, ran } = scopedApp(true, { authProbe: null, authenticator: () => true })
  for (const isSdkOnly of [false, true]) {
    const app = serve({ ...options, isSdkOnly })
    for (const way of waysOf('notes_index', true)) {
      const challenge = `Bearer ${metadata}, scope="api", error="invalid_token"`
      t.strictSame(await ask(app, callOf(way), junk), refused(401, 'Unauthorized', challenge))
    }
  }
  t.strictSame(ran, [])
})

const signIn = (scope: string): string =>
  `401 Unauthorized\n{"error":"invalid_token"}\nA sign-in is needed, with the permission ${scope}.`

t.test('calls: who passed without a bearer reads that a sign-in is needed', async (t) => {
  const { options, ran } = scopedApp(true)
  const nobody = scopedApp(true, { authProbe: null, authenticator: () => true })
  for (const isSdkOnly of [false, true]) {
    const app = serve({ ...options, isSdkOnly })
    for (const way of waysOf('notes_index', true)) {
      for (const credential of ['key', 'session']) {
        const text = failure(await ask(app, callOf(way), credential))
        t.equal(text, signIn('notes:read (See your notes)'), JSON.stringify(way))
      }
      const open = serve({ ...nobody.options, isSdkOnly })
      t.equal(failure(await ask(open, callOf(way), '')), signIn('notes:read (See your notes)'))
    }
    const both = callOf(waysOf('notes_delete', false)[1] as Way) // there are four
    t.equal(
      failure(await ask(app, both, 'key')),
      signIn('notes:write (Add and change notes), notes:delete (Delete notes)'),
    )
    const files = callOf(waysOf('notes_show', true)[1] as Way) // there are six
    t.equal(
      failure(await ask(app, files, 'session')),
      signIn('notes:read (See your notes)'),
      'a key would do',
    )
  }
  t.strictSame([ran, nobody.ran], [[], []])
})

t.test(
  'scopes of calls: what the user may not have is a failed call, and nobody is sent to ask',
  async (t) => {
    const text =
      '403 Forbidden\n{"error":"forbidden"}\nIts user cannot have the permission that is needed: admin (Import notes).'
    for (const isOn of [true, false]) {
      const { options, ran } = scopedApp(isOn)
      for (const way of waysOf('notes_import', false))
        t.equal(failure(await ask(serve(options), callOf(way), api)), text, JSON.stringify(way))
      t.strictSame(ran, [])
    }
  },
)

t.test(
  'scopes of calls: on an open endpoint a refusal is a failed call in the words of the scope',
  async (t) => {
    const { options, ran } = scopedApp(false)
    for (const isSdkOnly of [false, true]) {
      const app = serve({ ...options, isSdkOnly })
      for (const way of waysOf('notes_index', true)) {
        for (const credential of ['', junk, 'key', 'session'])
          t.equal(failure(await ask(app, callOf(way), credential)), signIn('notes:read (See your notes)'))
      }
      for (const way of waysOf('notes_delete', false)) {
        t.equal(
          failure(await ask(app, callOf(way), reader)),
          '403 Forbidden\n{"error":"insufficient_scope"}\nMore permission is needed: notes:write (Add and change notes), notes:delete (Delete notes).',
        )
      }
    }
    t.strictSame(ran, [])
  },
)
