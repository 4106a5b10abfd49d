/** HTTP, the MCP dispatch and `fastify.inject` give the same outcome for every route of the example. Source: house.md, The
 *  runtime. */
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import type { HttpRequest, HttpResponse } from '../../runtime/contract/http.ts'
import type { Route } from '../../runtime/contract/route.ts'
import { openTestApp, type TestApp } from '../../runtime/testing.ts'

/** `Date`, the hop-by-hop and framing headers, and what tells browsers and caches how to treat JSON belong to the transport,
 *  not to the route. */
const ofTheTransport = new Set([
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'cache-control',
  'x-content-type-options',
])

interface Seen {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

const ownHeaders = (headers: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheTransport.has(name)))

interface Case {
  readonly name: string
  readonly route: Route
  readonly headers: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, unknown>>
}

function casesOf(route: Route, token: string): Case[] {
  const bearer = { authorization: `Bearer ${token}` }
  const fields = route.verb === 'POST' ? { text: 'a note' } : {}
  const cases = [
    { name: 'signed in', route, headers: bearer, fields },
    { name: 'without a token', route, headers: {}, fields },
    { name: 'with a token that is not one', route, headers: { authorization: 'Bearer x' }, fields },
    { name: 'asking for YAML', route, headers: { ...bearer, accept: 'application/yaml' }, fields },
    { name: 'asking for a picture', route, headers: { ...bearer, accept: 'image/png' }, fields },
  ]
  if (route.verb !== 'POST') return cases
  return [
    ...cases,
    { name: 'without its parameter', route, headers: bearer, fields: {} },
    { name: 'with a wrong parameter', route, headers: bearer, fields: { text: 7 } },
  ]
}

const isPost = (route: Route): boolean => route.verb === 'POST'
const jsonType = { 'content-type': 'application/json' }

async function overHttp(base: string, { route, headers, fields }: Case): Promise<Seen> {
  const sent = isPost(route)
    ? { headers: { ...headers, ...jsonType }, body: JSON.stringify(fields) }
    : { headers }
  // fetch adds an Accept of its own; the route sees the same as elsewhere
  const accept = headers.accept ?? '*/*'
  const response = await fetch(base + route.path, {
    ...sent,
    headers: { ...sent.headers, accept },
    method: route.verb,
  })
  return {
    status: response.status,
    headers: ownHeaders(Object.fromEntries(response.headers)),
    body: await response.text(),
  }
}

async function overInject(app: TestApp, { route, headers, fields }: Case): Promise<Seen> {
  const response = await app.application.server.inject({
    method: route.verb === 'OPTIONS' ? 'OPTIONS' : route.verb,
    url: route.path,
    headers,
    ...(isPost(route) ? { payload: fields } : {}),
  })
  return { status: response.statusCode, headers: ownHeaders(response.headers), body: response.body }
}

/** What the MCP endpoint does with a tool call's arguments: the shared `invoke`, no HTTP. */
async function overInvoke(app: TestApp, { route, headers, fields }: Case): Promise<Seen> {
  const values = new Map<string, unknown>()
  const request: HttpRequest = {
    id: randomBytes(4).toString('hex'),
    method: route.verb,
    url: route.path,
    path: route.path,
    query: new URLSearchParams(),
    params: {},
    headers,
    cookies: {},
    ip: '127.0.0.1',
    session: {
      get: (name) => values.get(name),
      set: (name, value) => values.set(name, value),
      remove: (name) => values.delete(name),
      regenerate: async () => values.clear(),
    },
    body: { kind: 'value', value: fields },
    signal: new AbortController().signal,
  }
  const outcome: HttpResponse = await app.application.invoke(route.id, request)
  return { status: outcome.status, headers: ownHeaders(outcome.headers), body: String(outcome.body ?? '') }
}

t.test(
  'every route of the example answers alike over HTTP, inject and the dispatch of tool calls',
  async (t) => {
    const { routes } = await loadBundle(process.cwd())
    t.strictSame(routes.map((route) => route.id).sort(), [
      'health_show',
      'notes_create',
      'notes_index',
      'users_current',
    ])
    for (const route of routes) {
      const names = casesOf(route, '').map((item) => item.name)
      for (const name of names) {
        const seen: Seen[] = []
        for (const way of ['http', 'inject', 'invoke']) {
          const app = await openTestApp()
          const token = await app.accessToken()
          const item = casesOf(route, token).find((candidate) => candidate.name === name)
          if (item === undefined) throw new Error(name)
          if (way === 'http')
            seen.push(await overHttp(await app.application.server.listen({ port: 0 }), item))
          else seen.push(way === 'inject' ? await overInject(app, item) : await overInvoke(app, item))
          await app.close()
        }
        t.strictSame(seen.slice(1), [seen[0], seen[0]], `${route.id} ${name}`)
      }
    }
  },
)
