/** Two instances of the example on one PostgreSQL behind a blind round robin, and what a client of theirs goes through. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { type Application, createApplication } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { type AnyClient, answerOf, listOf } from '../../flow/client-kinds.ts'
import type { RecordingProvider } from '../../flow/support.ts'
import { surroundings } from '../../support/surroundings.ts'

/** 0 and 1 are the instances. */
export type Way = 0 | 1 | 'alternating'

export interface TwoInstances {
  /** The address of the proxy, and the base URL of both instances. */
  readonly baseUrl: string
  /** How many requests each instance has got. */
  readonly requests: readonly number[]
  /** From now on every request goes that way; at first they alternate. */
  send(way: Way): void
  close(): Promise<void>
}

/** Serves both behind the proxy; they share the store and the secrets, and nothing else. All clients come from one address: `limits` of the
 *  configuration say how many may. */
export async function serveTwo(databaseUrl: string, limits: object = {}): Promise<TwoInstances> {
  const ports: number[] = []
  const requests = [0, 0]
  let way: Way = 'alternating'
  let turn = 0
  const proxy = createServer((incoming, answer) => {
    const at = way === 'alternating' ? turn++ % 2 : way
    requests[at] = (requests[at] ?? 0) + 1
    forward(ports[at] ?? 0, incoming, answer)
  })
  const baseUrl = `http://localhost:${await listening(proxy)}`
  const secrets = { jwt: randomBytes(32).toString('hex'), session: randomBytes(32).toString('hex') }
  const instances: Application[] = []
  for (const _ of requests) {
    const instance = await startInstance({ baseUrl, databaseUrl, secrets, limits })
    instances.push(instance)
    ports.push(Number(new URL(await instance.server.listen({ port: 0, host: '127.0.0.1' })).port))
  }
  const close = async (): Promise<void> => {
    proxy.closeAllConnections()
    proxy.close()
    await Promise.all(instances.map((instance) => instance.close()))
  }
  const send = (next: Way): void => {
    way = next
  }
  return { baseUrl, requests, send, close }
}

interface Shared {
  readonly baseUrl: string
  readonly databaseUrl: string
  readonly secrets: { readonly jwt: string; readonly session: string }
  readonly limits: object
}

async function startInstance({ baseUrl, databaseUrl, secrets, limits }: Shared): Promise<Application> {
  const { jwt, session } = secrets
  const environment = { port: 0, databaseUrl, jwtSecrets: [jwt], sessionSecrets: [session], devLogin: true }
  const bundle = await loadBundle(process.cwd())
  const config = { ...(bundle.config as object), limits } // the example's, a plain object
  return createApplication({ ...bundle, config }, surroundings(baseUrl, environment))
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Passes a request on as it is, and the answer back as it comes; who goes away on one side leaves the other. */
function forward(port: number, incoming: IncomingMessage, answer: ServerResponse): void {
  const { method, url, rawHeaders } = incoming
  const passed = request({ host: '127.0.0.1', port, method, path: url, headers: rawHeaders }, (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.rawHeaders)
    answer.flushHeaders()
    reply.pipe(answer)
  })
  passed.on('error', () => answer.destroy())
  answer.on('close', () => passed.destroy())
  incoming.pipe(passed)
}

const developer = { id: 'dev:developer', name: 'Developer', email: 'developer@localhost' }

/** Makes so many calls one after the other; every tenth adds a note to `notes`, the one after it reads them through the
 *  proxy tool. Answers the calls that did not answer what they must. */
export async function failuresOf(
  client: AnyClient,
  calls: number,
  notes: string[],
): Promise<readonly string[]> {
  const failures: string[] = []
  for (let call = 0; call < calls; call += 1) {
    const made = await oneCall(client, call, notes).catch((error: unknown) => String(error))
    if (made !== null) failures.push(`call ${call}: ${made}`)
  }
  return failures
}

async function oneCall(client: AnyClient, call: number, notes: string[]): Promise<string | null> {
  if (call % 10 === 0) notes.push(`note ${notes.length}`)
  const { name, args, right } = callFor(call, notes)
  const answer = answerOf(await client.callTool({ name, arguments: args }))
  const got = JSON.stringify({ isError: answer.isError, value: listOf(answer.structured) })
  return got === JSON.stringify({ isError: false, value: right }) ? null : got
}

interface OneCall {
  readonly name: string
  readonly args: Record<string, unknown>
  readonly right: unknown
}

function callFor(call: number, notes: readonly string[]): OneCall {
  if (call % 10 === 0) return { name: 'notes_create', args: { text: notes.at(-1) }, right: notes }
  if (call % 10 === 1) return { name: 'call_read_only', args: { name: 'notes_index' }, right: notes }
  return { name: 'users_current', args: {}, right: developer }
}

/** Revokes what the provider holds, as its client. */
export async function revoke(baseUrl: string, provider: RecordingProvider): Promise<number> {
  const client = await provider.clientInformation()
  const body = new URLSearchParams({
    token: await accessToken(provider),
    client_id: String(client?.client_id),
  })
  return (await fetch(`${baseUrl}/oauth/revoke`, { method: 'POST', body })).status
}

/** What the endpoint answers to a raw call with the provider's token. */
export async function statusOfCall(baseUrl: string, provider: RecordingProvider): Promise<number> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'users_current' } }
  const answer = await fetch(`${baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await accessToken(provider)}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(message),
  })
  await answer.text()
  return answer.status
}

/** The GET stream of the provider's token. `ended` resolves when the server ends it. */
export async function openStream(
  baseUrl: string,
  provider: RecordingProvider,
): Promise<{ readonly status: number; readonly ended: Promise<void> }> {
  const headers = {
    authorization: `Bearer ${await accessToken(provider)}`,
    accept: 'text/event-stream',
  }
  const answer = await fetch(`${baseUrl}/mcp`, { headers })
  const reader = answer.body?.getReader()
  const toItsEnd = async (): Promise<void> => {
    while ((await reader?.read())?.done === false);
  }
  return { status: answer.status, ended: toItsEnd() }
}

const accessToken = async (provider: RecordingProvider): Promise<string> =>
  String((await provider.tokens())?.access_token)
