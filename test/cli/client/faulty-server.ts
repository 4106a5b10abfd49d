/** A plain server on loopback that loses answers when a test says so. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Teardown = { teardown(clean: () => unknown): void }

/** `drop`: the connection ends when the request has been read; `cut`: it ends in the middle of the answer. */
export type Reaction =
  | 'drop'
  | 'cut'
  | readonly [status: number, headers?: Readonly<Record<string, string>>, body?: unknown]

export interface Received {
  readonly verb: string
  readonly url: string
  readonly key: string | null
  readonly authorization: string | null
  readonly body: string
}

export interface FaultyServer {
  readonly origin: string
  /** What the requests get, in their order, from now on. */
  react(...reactions: readonly Reaction[]): void
  /** The requests since then. */
  received(): readonly Received[]
}

export async function faultyServer(t: Teardown): Promise<FaultyServer> {
  let reactions: readonly Reaction[] = []
  let received: Received[] = []
  const server = createServer(async (request, response) => {
    const { url = '', method: verb = '' } = request
    const { authorization = null } = request.headers
    received.push({ verb, url, authorization, key: keyOf(request), body: await bodyOf(request) })
    react(response, reactions[received.length - 1] ?? [500, {}, 'nobody expected this request'])
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close().closeAllConnections())
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    react(...next) {
      reactions = next
      received = []
    },
    received: () => received,
  }
}

const keyOf = ({ headers }: IncomingMessage): string | null => headers['idempotency-key']?.toString() ?? null

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return text
}

function react(response: ServerResponse, reaction: Reaction): void {
  if (reaction === 'drop') response.destroy()
  else if (reaction === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"cut')
    setImmediate(() => response.destroy())
  } else {
    const [status, headers = {}, body = 'done'] = reaction
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

/** The same call has come already, and has not ended. */
export const running = (headers: Readonly<Record<string, string>>): Reaction => [
  409,
  { 'content-type': 'application/problem+json', ...headers },
  { type: 'urn:acmcp:idempotency-running', title: 'Idempotency key', status: 409, detail: 'still running' },
]
