/** Whether what the server sends at once arrives at once. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { headersOf, requestOf } from '../message.ts'
import { get, openResponse, type Sent } from '../request.ts'
import { type Finding, notTried, ok, type Visit, wrong } from '../step.ts'
import { trouble } from '../troubles.ts'

/** A subscription of 2026-07-28 is acknowledged at once. On the GET stream before it a server may be silent: of that only
 *  the head must come. Source: MCP 2026-07-28, subscriptions/listen; MCP 2025-11-25, Streamable HTTP, Listening. */
export async function openStreams(visit: Visit): Promise<Finding> {
  const { known } = visit
  const { modern } = known.speaks
  const params = { notifications: { toolsListChanged: true } }
  const sent = modern
    ? requestOf(known, { method: 'subscriptions/listen', params, era: 'modern' })
    : get(known.endpoint, { ...headersOf(known), accept: 'text/event-stream' })
  const first = await firstOf(visit, sent, modern ? waitForText : async () => {})
  if (first === null) return wrong('nothing came', trouble('bufferedStream', {}))
  if (!first.isStream) return notTried(`the server has none (${first.status})`)
  return ok(modern ? 'the first event came at once' : 'GET opens an event stream')
}

/** Null when the step's time is over before it. As clients do, it takes compressed answers. */
async function firstOf(
  { options, signal }: Visit,
  sent: Sent,
  wait: (response: IncomingMessage) => Promise<void>,
): Promise<{ readonly status: number; readonly isStream: boolean } | null> {
  const ending = new AbortController()
  const encoded = { ...sent, headers: { ...sent.headers, 'accept-encoding': 'gzip, br' } }
  try {
    const network = { ca: options.ca, signal: AbortSignal.any([signal, ending.signal]) }
    const response = await openResponse(encoded, network)
    const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true
    if (isStream) await wait(response)
    return { status: response.statusCode ?? 0, isStream }
  } catch (error) {
    if (signal.aborted) return null
    throw error
  } finally {
    ending.abort()
  }
}

/** Decompressed: of a compressed stream the head alone says nothing. */
async function waitForText(response: IncomingMessage): Promise<void> {
  const encoding = response.headers['content-encoding'] ?? 'identity'
  for await (const _ of decoded(response, encoding)) return
}

function decoded(response: IncomingMessage, encoding: string): Readable {
  if (encoding === 'identity') return response
  const decoder = encoding === 'br' ? createBrotliDecompress() : createUnzip()
  response.on('error', (error) => decoder.destroy(error))
  return response.pipe(decoder)
}
