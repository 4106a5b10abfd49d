/** The ways in, each with the whole answer. */
import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { LightMyRequestResponse } from 'fastify'
import type * as Ws from 'ws'
import type { TestApp } from '../../../../runtime/testing.ts'
import { type Era, message } from '../../../mcp/support/support.ts'
import type { Answer, GuardedRoute } from './oracle.ts'

// `ws` is a dependency of @fastify/websocket, not of ours
const { WebSocket }: typeof Ws = createRequire(createRequire(import.meta.url).resolve('@fastify/websocket'))(
  'ws',
)

type Headers = Readonly<Record<string, string>>

let requested = 0

/** Another address each time: none is held back because it was refused too often. */
const nextAddress = (): string => {
  requested += 1
  return `10.${(requested >> 16) & 255}.${(requested >> 8) & 255}.${requested & 255}`
}

export async function callHttp(
  app: TestApp,
  { method, url }: Pick<GuardedRoute, 'method' | 'url'>,
  headers: Headers,
): Promise<Answer> {
  return answerOf(await app.application.server.inject({ method, url, headers, remoteAddress: nextAddress() }))
}

/** `through`: the proxy that calls it; null = the tool itself. */
export function callTool(
  app: TestApp,
  { name, through, era }: { readonly name: string; readonly through: string | null; readonly era: Era },
  headers: Headers,
): Promise<Answer> {
  const inner = { name, arguments: {} }
  const sent = message(era, 'tools/call', through === null ? inner : { name: through, arguments: inner })
  return post(app, '/mcp', sent, headers)
}

export const callBatch = (app: TestApp, names: readonly string[], headers: Headers): Promise<Answer> => {
  const messages = names.map((name, index) => ({
    jsonrpc: '2.0',
    id: index + 1,
    method: 'tools/call',
    params: { name, arguments: {} },
  }))
  return post(app, '/mcp', { message: messages }, headers)
}

/** Any message. */
export async function post(
  app: TestApp,
  url: string,
  sent: ReturnType<typeof message>,
  headers: Headers,
): Promise<Answer> {
  const response = await app.application.server.inject({
    method: 'POST',
    url,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...sent.headers,
      ...headers,
    },
    payload: JSON.stringify(sent.message),
    remoteAddress: nextAddress(),
  })
  return answerOf(response)
}

function answerOf({ statusCode, headers, body }: LightMyRequestResponse): Answer {
  const challenge = headers['www-authenticate']
  return {
    status: statusCode,
    challenge: challenge === undefined ? null : String(challenge),
    body: bodyOf(String(headers['content-type']), body),
  }
}

/** The messages of an event stream are a list, in the order of their ids. */
function bodyOf(type: string, body: string): unknown {
  if (!type.startsWith('text/event-stream')) return type.includes('json') ? JSON.parse(body) : body
  const messages = [...body.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data))
  return messages.length === 1 ? messages[0] : messages.sort((a, b) => a.id - b.id)
}

/** What the upgrade is answered, or the first message of the socket that it gives. */
export async function openSocket(port: number, url: string, headers: Headers): Promise<Answer> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${url}`, { headers })
  try {
    return await Promise.race([firstMessage(socket), refusedUpgrade(socket)])
  } finally {
    socket.terminate()
  }
}

async function firstMessage(socket: Ws.WebSocket): Promise<Answer> {
  const [data] = await once(socket, 'message')
  return { status: 200, challenge: null, body: JSON.parse(String(data)) }
}

function refusedUpgrade(socket: Ws.WebSocket): Promise<Answer> {
  return new Promise((resolve, reject) => {
    socket.once('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode = 0, headers } = response
        const body = bodyOf(String(headers['content-type']), Buffer.concat(chunks).toString())
        resolve({ status: statusCode, challenge: headers['www-authenticate'] ?? null, body })
      })
    })
  })
}
