/** A server with endpoints of its own, without an application: sessions, plugins, logs. */
import type { FastifyInstance } from 'fastify'
import type { Endpoint, HttpRequest, HttpResponse } from '../../../runtime/contract/http.ts'
import type { SessionStore } from '../../../runtime/contract/session-store.ts'
import { requestIds } from '../../../runtime/http/log/request-ids.ts'
import { jsonResponse } from '../../../runtime/http/pipeline/error-handler.ts'
import { createServer, type ServerOptions } from '../../../runtime/http/server/server.ts'
import type { SessionOptions } from '../../../runtime/http/session/session-library.ts'
import { plainConfig } from './formats.ts'

export const secretOf = (letter: string): string => letter.repeat(40)

/** Sessions in a Map, with a list of what was done to them. */
export interface RecordedStore extends SessionStore {
  readonly sessions: Map<
    string,
    { readonly data: Readonly<Record<string, unknown>>; readonly expiresAt: number }
  >
  readonly done: string[]
}

export function recordedStore(): RecordedStore {
  const sessions: RecordedStore['sessions'] = new Map()
  const done: string[] = []
  return {
    sessions,
    done,
    readSession: async (id) => {
      done.push('read')
      return sessions.get(id)?.data ?? null
    },
    writeSession: async (id, data, expiresAt) => {
      done.push('write')
      sessions.set(id, { data: JSON.parse(JSON.stringify(data)), expiresAt })
    },
    updateSession: async (id, data, expiresAt) => {
      done.push('update')
      if (!sessions.has(id)) return false
      sessions.set(id, { data: JSON.parse(JSON.stringify(data)), expiresAt })
      return true
    },
    destroySession: async (id) => {
      done.push('destroy')
      sessions.delete(id)
    },
  }
}

export const endpoint = (
  path: string,
  handle: Endpoint['handle'],
  methods: readonly string[] = ['GET', 'POST'],
): Endpoint => ({
  path,
  methods,
  handle,
})

export interface Shell {
  readonly app: FastifyInstance
  /** What `onError` was given. */
  readonly errors: unknown[]
}

/** A ready server; an error that reaches `onError` is a 500 with its message. */
export async function shell(
  endpoints: readonly Endpoint[],
  options: Partial<Omit<ServerOptions, 'session'>> & { readonly session?: Partial<SessionOptions> } = {},
): Promise<Shell> {
  const errors: unknown[] = []
  const { session, ...rest } = options
  const app = await createServer({
    endpoints,
    docs: [],
    probes: new Map(),
    rootPage: null,
    ownHosts: null,
    limits: plainConfig.limits,
    baseUrl: 'http://localhost:3000',
    sources: { origins: ['http://localhost:3000'], hosts: null },
    keepHeaders: [],
    trustProxy: null,
    requestIdOf: requestIds((count) => new Uint8Array(count), null),
    watch: null,
    log: { level: 'silent', mask: [], ms: false },
    plugins: [],
    unclaimed: () => null,
    onError: (error: unknown, _request: HttpRequest): HttpResponse => {
      errors.push(error)
      return jsonResponse(500, { error: String(error) })
    },
    ...rest,
    session: {
      cookieName: 'sid',
      secrets: [secretOf('a')],
      secure: false,
      store: recordedStore(),
      clock: () => 0,
      ...session,
    },
  })
  await app.ready()
  return { app, errors }
}
