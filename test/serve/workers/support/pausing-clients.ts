/** Clients that keep their connections, and pause between two requests, while a server is restarted. For a test and a torture. */
import { setTimeout as after } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Connection } from '../../support/connection.ts'
import type { DeskInstance } from './desk-app.ts'

export interface Amount {
  readonly restarts: number
  /** How many clients of each kind. */
  readonly each: number
  readonly maxPauseMs: number
  /** It goes on until so many requests are answered; default: 0. */
  readonly requests?: number
}

export interface Outcome {
  readonly answered: number
  readonly failures: readonly string[]
}

interface Asking {
  readonly ask: () => Promise<unknown>
  readonly close: () => Promise<void> | void
}

/** The server is restarted again and again; each time when every client has been answered once more. */
export async function restartAmongPausing(
  desk: DeskInstance,
  { restarts, each, maxPauseMs, requests = 0 }: Amount,
): Promise<Outcome> {
  const kinds = [fetching, connected, sdk, sdkV1]
  const clients = await Promise.all(
    kinds.flatMap((kind) => Array.from({ length: each }, () => kind(desk.baseUrl))),
  )
  const failures: string[] = []
  const counts = clients.map(() => 0)
  let isOver = false
  const work = async ({ ask }: Asking, at: number): Promise<void> => {
    while (!isOver) {
      await ask().catch((error: unknown) =>
        failures.push(`${kinds[Math.floor(at / each)]?.name}: ${whyOf(error)}`),
      )
      counts[at] = (counts[at] ?? 0) + 1
      await after(Math.random() * maxPauseMs)
    }
  }
  const all = clients.map(work)
  const answered = (): number => counts.reduce((sum, count) => sum + count, 0)
  for (let restart = 0; restart < restarts || answered() < requests; restart++) {
    await desk.restart()
    const before = [...counts]
    while (counts.some((count, at) => count === before[at])) await after(10)
  }
  isOver = true
  await Promise.all(all)
  await Promise.all(clients.map(({ close }) => close()))
  return { answered: answered(), failures }
}

/** With the causes: `fetch` says no more than that it failed. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${whyOf(error.cause)}`
}

/** The connections of this process are kept in one pool. */
async function fetching(baseUrl: string): Promise<Asking> {
  const ask = async (): Promise<void> => {
    const answer = await fetch(`${baseUrl}/api/touched`, { method: 'POST' })
    if (answer.status !== 200) throw new Error(`status ${answer.status}: ${await answer.text()}`)
    await answer.text()
  }
  return { ask, close: () => {} }
}

/** A connection of its own. */
async function connected(baseUrl: string): Promise<Asking> {
  const connection = new Connection(baseUrl)
  const ask = async (): Promise<void> => {
    const { status, body } = await connection.ask('/api/touched', {})
    if (status !== 200) throw new Error(`status ${status}: ${body}`)
  }
  return { ask, close: () => connection.close() }
}

const call = { name: 'desk_touched', arguments: {} }

/** The SDK's version 2. */
async function sdk(baseUrl: string): Promise<Asking> {
  const client = new Client({ name: 'pausing', version: '2' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`)))
  return { ask: () => client.callTool(call), close: () => client.close() }
}

/** The SDK's version 1, which listens on a stream too. */
async function sdkV1(baseUrl: string): Promise<Asking> {
  const client = new ClientV1({ name: 'pausing', version: '1' })
  const transport = new TransportV1(new URL(`${baseUrl}/mcp`))
  // exactOptionalPropertyTypes: the class declares `sessionId: string | undefined`
  await client.connect(transport as Parameters<ClientV1['connect']>[0])
  return { ask: () => client.callTool(call), close: () => client.close() }
}
