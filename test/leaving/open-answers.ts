/** What stays open for a user of the team: a stream of a route, a socket, and the stream of the endpoint. */
import { once } from 'node:events'
import type { User } from '../../runtime/index.ts'
import type { TestApp } from '../../runtime/testing.ts'
import { dialSocket } from '../http/support/guarded.ts'

export interface Open {
  readonly ended: Promise<unknown>
}

/** A stream of a route, which ends when the server says so. */
export async function openNews(port: number, headers: Record<string, string>): Promise<Open> {
  const { status: code, body } = await fetch(`http://127.0.0.1:${port}/team/news`, { headers })
  if (code !== 200 || body === null) throw new Error(`the stream was answered with ${code}`)
  const reader = body.getReader()
  await reader.read()
  const drained = async (): Promise<void> => {
    while (!(await reader.read()).done);
  }
  return { ended: drained().catch(() => {}) }
}

export async function openTalk(port: number, headers: Record<string, string>): Promise<Open> {
  const { seen, socket } = await dialSocket(port, '/team/talk', headers)
  if (seen[0] !== 101) throw new Error(`the socket was answered with ${seen[0]}`)
  return { ended: once(socket, 'close') }
}

/** The GET stream of the endpoint. */
export async function openListen(port: number, headers: Record<string, string>): Promise<Open> {
  const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
    headers: { ...headers, accept: 'text/event-stream', 'mcp-protocol-version': '2025-11-25' },
  })
  if (answer.status !== 200 || answer.body === null)
    throw new Error(`the stream was answered with ${answer.status}`)
  return { ended: new Response(answer.body).text() }
}

/** Of a browser in which that user has signed in. */
export async function cookieOf(app: TestApp, user: User): Promise<string> {
  const browser = app.client()
  await browser.signIn(user)
  return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}
