/** Sessions and cookies. Source: language.md, Controllers at run time. */
import fc from 'fast-check'
import type { LightMyRequestResponse } from 'fastify'
import t from 'tap'
import type { Endpoint, HttpRequest, HttpResponse, Session } from '../../../runtime/contract/http.ts'
import type { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { jsonResponse } from '../../../runtime/http/pipeline/error-handler.ts'
import { CallSession } from '../../../runtime/http/session/call-session.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { listening } from '../support/raw.ts'
import { endpoint, recordedStore, secretOf, shell } from '../support/shell.ts'

const empty: HttpResponse = { status: 204, headers: {}, body: null }

const count = (request: HttpRequest): HttpResponse => {
  const seen = Number(request.session.get('seen') ?? 0) + 1
  request.session.set('seen', seen)
  return jsonResponse(200, seen)
}

const endpoints: readonly Endpoint[] = [
  endpoint('/count', count),
  endpoint('/look', (request) => jsonResponse(200, request.session.get('seen') ?? null)),
  endpoint('/nothing', () => empty),
  endpoint('/forget', (request) => {
    request.session.remove('seen')
    return empty
  }),
  endpoint('/sign-in', async (request) => {
    await request.session.regenerate()
    request.session.set('user_id', 'dev:1')
    return { status: 303, headers: { location: '/' }, body: null }
  }),
  endpoint('/renew', async (request) => {
    await request.session.regenerate()
    return empty
  }),
]

function pending(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const setCookies = ({ headers }: LightMyRequestResponse): readonly string[] =>
  [headers['set-cookie'] ?? []].flat()
const cookieIn = (response: LightMyRequestResponse): string => setCookies(response)[0]?.split(';', 1)[0] ?? ''

t.test(
  'a request without the cookie, and a handler that leaves the session alone, cost nothing',
  async (t) => {
    const store = recordedStore()
    const { app } = await shell(endpoints, { session: { store } })
    const plain = await app.inject('/nothing')
    const looked = await app.inject({ url: '/look', headers: { cookie: 'other=1' } })
    t.strictSame([setCookies(plain), setCookies(looked), looked.json(), store.done], [[], [], null, []])
  },
)

const circle: Record<string, unknown> = { id: 1 }
circle.self = circle

t.test('a value that JSON would lose is refused where it is set, and what was kept stays', async (t) => {
  const lost: readonly (readonly [value: unknown, why: string])[] = [
    [1n, 'it is a bigint'],
    [() => 1, 'it is a function'],
    [Symbol('a'), 'it is a symbol'],
    [new Map(), 'it is a Map'],
    [{ cart: { ids: new Set() } }, "'ids' is a Set"],
    [[1, [2n]], "'0' is a bigint"],
    [circle, 'it holds itself'],
  ]
  const reported: unknown[] = []
  const refused = (session: Session): HttpResponse => {
    for (const [value] of lost) {
      try {
        session.set('seen', value)
        reported.push('taken')
      } catch (error) {
        reported.push(error)
      }
    }
    session.set('at', { since: new Date(0), note: undefined })
    return empty
  }
  const expected = lost.map(([, why]) => new TypeError(`the session cannot keep 'seen' as JSON: ${why}`))
  const store = recordedStore()
  const { app } = await shell([...endpoints, endpoint('/set', ({ session }) => refused(session))], {
    session: { store },
  })
  const cookie = cookieIn(await app.inject('/count'))
  t.equal((await app.inject({ url: '/set', headers: { cookie } })).statusCode, 204)
  t.strictSame(reported, expected)
  t.equal((await app.inject({ url: '/count', headers: { cookie } })).json(), 2)
  reported.length = 0
  const shared = new Map<string, unknown>()
  refused(
    new CallSession({
      get: (name) => shared.get(name),
      set: (name, value) => shared.set(name, value),
      remove: (name) => shared.delete(name),
      regenerate: async () => shared.clear(),
    }),
  )
  t.strictSame(reported, expected, 'also in a tool call')
})

t.test('a session is written only when it was changed', async (t) => {
  const store = recordedStore()
  const { app } = await shell(endpoints, { session: { store } })
  const first = await app.inject('/count')
  t.match(setCookies(first), [/^sid=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/])
  const cookie = cookieIn(first)
  const look = await app.inject({ url: '/look', headers: { cookie } })
  const nothing = await app.inject({ url: '/nothing', headers: { cookie } })
  t.strictSame([look.json(), setCookies(look), setCookies(nothing)], [1, [], []])
  t.strictSame(store.done, ['write', 'read', 'read'])
  const again = await app.inject({ url: '/count', headers: { cookie } })
  t.strictSame([again.json(), cookieIn(again)], [2, cookie])
  await app.inject({ url: '/forget', headers: { cookie } })
  t.strictSame(store.done, ['write', 'read', 'read', 'read', 'update', 'read', 'update'])
  t.strictSame([...store.sessions.values()], [{ data: {}, expiresAt: 600_000 }])
})

t.test('signing in gives a new id in one write, on a redirect, and the old id is dead', async (t) => {
  const store = recordedStore()
  const { app } = await shell(endpoints, { session: { store } })
  const before = cookieIn(await app.inject('/count'))
  const signedIn = await app.inject({ url: '/sign-in', headers: { cookie: before } })
  const after = cookieIn(signedIn)
  t.equal(signedIn.statusCode, 303)
  t.not(after, before)
  t.strictSame(store.done, ['write', 'read', 'destroy', 'write'])
  t.strictSame([...store.sessions.values()], [{ data: { user_id: 'dev:1' }, expiresAt: 8 * 3_600_000 }])
  const stale = await app.inject({ url: '/look', headers: { cookie: before } })
  t.strictSame([stale.json(), store.sessions.size], [null, 1])
  const renewed = await app.inject({ url: '/renew', headers: { cookie: after } })
  t.match(setCookies(renewed), [/^sid=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970/])
  t.equal(store.sessions.size, 0, 'a new session that nobody fills is not stored')
})

t.test(
  'signing out: a session that was read is updated, never inserted: once destroyed it stays so',
  async (t) => {
    const store = recordedStore()
    const { promise: signedOut, resolve } = pending()
    const { promise: waiting, resolve: waits } = pending()
    const slow = endpoint('/slow', async (request) => {
      request.session.set('seen', 99)
      waits()
      await signedOut
      return empty
    })
    const { app } = await shell([...endpoints, slow], { session: { store } })
    const cookie = cookieIn(await app.inject('/sign-in'))
    const late = app.inject({ url: '/slow', headers: { cookie } })
    await waiting
    await app.inject({ url: '/renew', headers: { cookie } })
    resolve()
    const answer = await late
    t.strictSame([answer.statusCode, setCookies(answer)], [204, []], 'it sends no dead id either')
    t.strictSame([...store.sessions], [])
    t.equal((await app.inject({ url: '/look', headers: { cookie } })).json(), null)
  },
)

t.test('on https the cookie is Secure, and a __Host- cookie is also forgotten as one', async (t) => {
  const session = { secure: true, cookieName: '__Host-acmcp_session' }
  const { app } = await shell(endpoints, { session })
  t.match(setCookies(await app.inject('/count')), [
    /^__Host-acmcp_session=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  ])
  const forged = await app.inject({ url: '/look', headers: { cookie: '__Host-acmcp_session=forged' } })
  t.match(setCookies(forged), [/^__Host-acmcp_session=; Max-Age=0; Path=\/; Expires=Thu[^;]+; Secure$/])
})

t.test(
  'decisions, easy to miss: the name of the cookie is used unchanged, __Host- is only the default on https',
  async (t) => {
    const nameOf = async (baseUrl: string, session: object | undefined): Promise<string | undefined> => {
      const app = await openTestApp({
        environment: { baseUrl },
        change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), session } }), // a plain object
      })
      t.teardown(app.close)
      return setCookies(await app.client().get('/auth/dev'))[0]?.split('=', 1)[0]
    }
    t.equal(await nameOf('http://localhost:3000', undefined), 'acmcp_session')
    t.equal(await nameOf('https://localhost:3000', undefined), '__Host-acmcp_session')
    t.equal(await nameOf('https://localhost:3000', { cookieName: 'mine' }), 'mine')
  },
)

t.test('secrets rotate: the first signs, all verify, and the cookie is signed anew', async (t) => {
  const store = recordedStore()
  const [old, young] = [secretOf('o'), secretOf('y')]
  const before = await shell(endpoints, { session: { store, secrets: [old] } })
  const cookie = cookieIn(await before.app.inject('/count'))
  const both = await shell(endpoints, { session: { store, secrets: [young, old] } })
  const kept = await both.app.inject({ url: '/look', headers: { cookie } })
  t.equal(kept.json(), 1)
  const resigned = cookieIn(kept)
  t.not(resigned, cookie)
  const after = await shell(endpoints, { session: { store, secrets: [young] } })
  t.equal((await after.app.inject({ url: '/count', headers: { cookie: resigned } })).json(), 2)
  t.equal(
    (await after.app.inject({ url: '/look', headers: { cookie } })).json(),
    null,
    'the old secret is gone',
  )
})

t.test('a tampered, oversized or meaningless cookie is a fresh session, never a 5xx', async (t) => {
  const { app, errors } = await shell(endpoints)
  const cookie = cookieIn(await app.inject('/count'))
  const [id = '', signature = ''] = decodeURIComponent(cookie.slice('sid='.length)).split('.')
  const others = [
    `${id}x.${signature}`,
    `${id}.${signature}x`,
    id,
    `.${signature}`,
    '.',
    '%',
    '%00',
    '',
    'x'.repeat(9000),
  ]
  for (const other of others) {
    const answer = await app.inject({ url: '/count', headers: { cookie: `sid=${other}` } })
    t.strictSame([answer.statusCode, answer.json()], [200, 1], other.slice(0, 40))
  }
  await fc.assert(
    fc.asyncProperty(fc.string(), async (text) => {
      const header = Buffer.from(text)
        .toString('latin1')
        .replace(/\p{Cc}/gu, '')
      return (await app.inject({ url: '/count', headers: { cookie: `sid=${header}` } })).statusCode === 200
    }),
    { numRuns: 100 },
  )
  t.strictSame(errors, [])
})

t.test('names are only names: none reaches a prototype or a member of the library', async (t) => {
  const names = ['__proto__', 'constructor', 'cookie', 'get', 'sessionId', 'values']
  const { app } = await shell([
    endpoint('/set', ({ session }) => {
      for (const name of names) session.set(name, `my ${name}`)
      return empty
    }),
    endpoint('/get', ({ session }) =>
      jsonResponse(
        200,
        [...names, 'toString'].map((name) => session.get(name) ?? null),
      ),
    ),
  ])
  const cookie = cookieIn(await app.inject('/set'))
  const seen = await app.inject({ url: '/get', headers: { cookie } })
  t.strictSame(seen.json(), [...names.map((name) => `my ${name}`), null])
})

t.test('a session that cannot be written is one 500, and is not tried again', async (t) => {
  const store = recordedStore()
  const broken = {
    ...store,
    writeSession: () => {
      store.done.push('write')
      return Promise.reject(new Error('no space'))
    },
  }
  const failing = endpoint('/fail', (request) => {
    request.session.set('seen', 1)
    throw new Error('broken')
  })
  const { app, errors } = await shell([...endpoints, failing], { session: { store: broken } })
  const answer = await app.inject('/count')
  t.strictSame([answer.statusCode, answer.json()], [500, { error: 'Error: no space' }])
  t.strictSame(store.done, ['write'])
  t.equal((await app.inject('/fail')).statusCode, 500)
  t.strictSame(
    [store.done, errors.map(String)],
    [
      ['write', 'write'],
      ['Error: no space', 'Error: broken', 'Error: no space'],
    ],
  )
})

t.test('an endpoint answers in its own shape when its session cannot be written or read', async (t) => {
  const store = { ...recordedStore(), writeSession: () => Promise.reject(new Error('no space')) }
  const own = {
    ...endpoint('/own', count),
    onError: (): HttpResponse => jsonResponse(503, { error: 'later' }),
  }
  const left = { ...endpoint('/left', count), onError: () => null }
  const { app, errors } = await shell([own, left], { session: { store } })
  const answers = [await app.inject('/own'), await app.inject('/left')]
  t.strictSame(
    answers.map((answer) => [answer.statusCode, answer.json()]),
    [
      [503, { error: 'later' }],
      [500, { error: 'Error: no space' }],
    ],
  )
  t.equal(errors.length, 1)
})

t.test(
  'a session that cannot be written is written once, also when the answer to that fails too',
  async (t) => {
    const done: string[] = []
    const writeSession = (): Promise<void> => {
      done.push('write')
      return Promise.reject(new Error('no space'))
    }
    const onError = (): never => {
      throw new Error('no answer')
    }
    const store = { ...recordedStore(), writeSession }
    const { app, errors } = await shell([{ ...endpoint('/own', count), onError }], { session: { store } })
    const answer = await app.inject('/own')
    t.strictSame([answer.statusCode, answer.body, done, errors], [500, '', ['write'], []])
  },
)

t.test("the session's cookie stands beside the answer's own", async (t) => {
  const both = endpoint('/both', (request) => ({
    ...count(request),
    headers: { 'set-cookie': ['a=1', 'b=2'] },
  }))
  const { app } = await shell([both])
  t.match(setCookies(await app.inject('/both')), [/^sid=/, /^a=1$/, /^b=2$/])
})

t.test('a store that cannot read is one 500 before the handler', async (t) => {
  const store = { ...recordedStore(), readSession: () => Promise.reject(new Error('no store')) }
  const { app: signing } = await shell(endpoints)
  const cookie = cookieIn(await signing.inject('/count'))
  const { app } = await shell(endpoints, { session: { store } })
  const answer = await app.inject({ url: '/count', headers: { cookie } })
  t.strictSame([answer.statusCode, answer.json()], [500, { error: 'Error: no store' }])
})

t.test('what an exception handler or an after filter does to the session is saved', async (t) => {
  const { app } = await listening(
    {},
    {
      call: marks,
      after: (controller) => mark(controller, 'after'),
      rescue: (controller) => mark(controller, 'handler'),
    },
  )
  t.teardown(app.close)
  const client = app.client()
  const seen = [await client.get('/health'), await client.get('/health'), await client.get('/health')]
  t.strictSame(
    seen.map((answer) => answer.json()),
    ['handler', ['handler'], ['handler', 'after']],
  )
})

function mark({ request }: Controller, name: string): string {
  request.session.set(name, true)
  return name
}

/** Fails the first time. */
function marks({ request }: Controller): readonly string[] {
  const names = ['handler', 'after'].filter((name) => request.session.get(name) === true)
  if (names.length === 0) throw new RangeError('first')
  return names
}

t.test('this.request.cookies reads, this.response.setCookie and clearCookie write', async (t) => {
  const { app } = await listening(
    {},
    {
      call: (controller) => {
        const { request, response } = controller
        response.setCookie('theme', 'dark blue', { maxAge: 60, httpOnly: false })
        response.setCookie('seen', '1', { secure: true, sameSite: 'strict', path: '/health' })
        response.clearCookie('old')
        response.append('link', '</a>')
        response.append('link', '</b>')
        const { theme = 'none', bad = 'none' } = request.cookies
        return request.url === '/health?go' ? controller.redirectTo('/') : [theme, bad]
      },
    },
  )
  t.teardown(app.close)
  const answer = await app.client().get('/health', { cookie: 'theme=dark%20blue; theme=second; bad=%zz' })
  t.strictSame(answer.json(), ['dark blue', '%zz'])
  const expected = [
    'theme=dark%20blue; Max-Age=60; Path=/; SameSite=Lax',
    'seen=1; Path=/health; HttpOnly; Secure; SameSite=Strict',
    'old=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
  ]
  t.strictSame(setCookies(answer), expected)
  t.strictSame(answer.headers.link, ['</a>', '</b>'])
  t.strictSame(setCookies(await app.client().get('/health?go')), expected, 'on a redirect too')
})

t.test(
  'a request is answered when its session cannot be read and the answer to that fails too',
  async (t) => {
    const { app: signing } = await shell(endpoints)
    const cookie = cookieIn(await signing.inject('/count'))
    const store = { ...recordedStore(), readSession: () => Promise.reject(new Error('no store')) }
    const own = {
      ...endpoint('/own', count),
      onError: (): never => {
        throw new Error('no answer')
      },
    }
    const { app } = await shell([own], { session: { store } })
    const answer = await app.inject({ url: '/own', headers: { cookie } })
    t.strictSame([answer.statusCode, answer.body], [500, ''])
  },
)
