/** A client that is refused, asks its user for more, and is told on its streams that it may do more: over real connections. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import t from 'tap'
import type { TestClient } from '../../../runtime/testing.ts'
import { buildGuarded, type Guarded, openGuarded } from '../support/guarded.ts'
import { message } from '../support/support.ts'

t.setTimeout(240_000) // a busy machine

const bundle = await buildGuarded()
const redirectUri = 'http://127.0.0.1:7777/callback'
const verifier = 'v'.repeat(43)

/** A client of a user, which asks for scopes and refreshes. */
interface Asking {
  readonly client: TestClient
  readonly clientId: string
}

interface Tokens {
  readonly access: string
  readonly refresh: string
  readonly scope: string
}

async function registered({ app }: Guarded): Promise<Asking> {
  const client = app.client()
  await client.signIn()
  const metadata = { client_name: 'test', redirect_uris: [redirectUri] }
  return { client, clientId: String((await client.json('/oauth/register', metadata)).json().client_id) }
}

/** The user allows all that is asked. */
async function granted({ client, clientId }: Asking, scope: string): Promise<Tokens> {
  const requested = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope,
  }
  const page = await client.get(`/oauth/authorize?${new URLSearchParams(requested)}`)
  const hidden = [...page.body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  const ticks = [...page.body.matchAll(/<input type="checkbox" name="(allow:[^"]*)"/g)]
  const form = Object.fromEntries([
    ...hidden.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]),
    ...ticks.map(([, name = '']) => [name, 'on']),
    ['decision', 'allow'],
  ])
  const allowed = await client.submit('/oauth/authorize', form)
  const code = new URL(String(allowed.headers.location)).searchParams.get('code') ?? ''
  const by = { grant_type: 'authorization_code', redirect_uri: redirectUri, code, code_verifier: verifier }
  return redeemed({ client, clientId }, by)
}

async function redeemed(
  { client, clientId }: Asking,
  form: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const answer = await client.submit('/oauth/token', { client_id: clientId, ...form })
  const { access_token: access, refresh_token: refresh, scope } = answer.json()
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return { access, refresh, scope }
}

interface Listening {
  /** Resolves when that text has come so many times. */
  readonly heard: (text: string, times: number) => Promise<void>
  readonly text: () => string
  readonly leave: () => void
}

const changed = '"method":"notifications/tools/list_changed"'

/** Opens a stream of the era over a connection of its own. */
async function listening(port: number, era: 'legacy' | 'modern', token: string): Promise<Listening> {
  const sent = message('modern', 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  const isModern = era === 'modern'
  const headers = isModern
    ? { ...sent.headers, accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
    : { accept: 'text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path: '/mcp',
    method: isModern ? 'POST' : 'GET',
    headers: { ...headers, host: 'localhost', authorization: `Bearer ${token}` },
  })
  outgoing.end(isModern ? JSON.stringify(sent.message) : undefined)
  const [response]: IncomingMessage[] = await once(outgoing, 'response')
  if (response?.statusCode !== 200) throw new Error(`no stream: ${response?.statusCode}`)
  let text = ''
  response.setEncoding('utf8').on('data', (more: string) => {
    text += more
  })
  response.on('error', () => {}) // it is left
  outgoing.on('error', () => {})
  const heard = async (wanted: string, times: number): Promise<void> => {
    while (text.split(wanted).length - 1 < times) await once(response, 'data')
  }
  return { heard, text: () => text, leave: () => outgoing.destroy() }
}

async function called(client: TestClient, token: string, name: string): Promise<readonly [number, string]> {
  const { message: sent, headers } = message('modern', 'tools/call', { name, arguments: { title: 'x' } })
  const response = await client.withBearer(token).request({
    method: 'POST',
    url: '/mcp',
    headers: {
      ...headers,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    payload: JSON.stringify(sent),
  })
  return [response.statusCode, String(response.headers['www-authenticate'] ?? '')]
}

t.test(
  'scopes, a step-up: 403, consent to what it names, the same call; its streams hear of it',
  async (t) => {
    const guarded = await openGuarded(t, bundle)
    const address = await guarded.app.application.server.listen({ port: 0, host: '127.0.0.1' })
    const port = Number(new URL(address).port)
    const own = await registered(guarded)
    const other = await registered(guarded)
    const { client } = own
    const before = await granted(own, 'songs:read')
    const stranger = await granted(other, 'songs:read')
    const streams = [
      await listening(port, 'legacy', before.access),
      await listening(port, 'modern', before.access),
      await listening(port, 'modern', stranger.access),
    ] as const
    t.teardown(() => {
      for (const { leave } of streams) leave()
    })
    await streams[1].heard('notifications/subscriptions/acknowledged', 1)
    await streams[2].heard('notifications/subscriptions/acknowledged', 1)

    const [status, challenge] = await called(client, before.access, 'songs_create')
    t.equal(status, 403)
    const scope = /\bscope="([^"]*)"/.exec(challenge)?.[1] ?? ''
    t.equal(scope, 'songs:read songs:write')
    const after = await granted(own, scope)
    t.equal((await called(client, after.access, 'songs_create'))[0], 200)
    t.equal((await called(client, before.access, 'songs_create'))[0], 403, 'the old token stays what it was')
    await Promise.all([streams[0].heard(changed, 1), streams[1].heard(changed, 1)])

    const refreshed = await redeemed(own, { grant_type: 'refresh_token', refresh_token: after.refresh })
    t.equal(refreshed.scope, after.scope)
    const narrow = { grant_type: 'refresh_token', refresh_token: refreshed.refresh, scope: 'songs:read' }
    t.equal((await redeemed(own, narrow)).scope, 'songs:read')
    await Promise.all([streams[0].heard(changed, 2), streams[1].heard(changed, 2)])
    t.strictSame(
      streams.map(({ text }) => text().split(changed).length - 1),
      [2, 2, 0],
      'not for the same set again, and not for another client of the same user',
    )
  },
)
