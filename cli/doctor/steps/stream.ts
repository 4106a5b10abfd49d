/** Whether what the server sends at once arrives at once. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { headersOf, requestOf } from '../message.ts'
import { get, openResponse, type Sent } from '../request.ts'
import { type Finding, notTried, ok, type Step, type Visit, wrong } from '../step.ts'
import { bufferedStream } from '../troubles.ts'
import { whySkipped } from './protocol.ts'

export const streamStep: Step = { name: 'stream', run: openStreams }

/** A subscription of 2026-07-28 is acknowledged at once. On the GET stream before it a server may be silent: of that only
 *  the head must come. Source: MCP 2026-07-28, subscriptions/listen; MCP 2025-11-25, Streamable HTTP, Listening. */
async function openStreams(visit: Visit): Promise<Finding> {
  const { known } = visit
  const reason = whySkipped(known)
  if (reason !== null) return notTried(reason)
  if (known.speaks.modern) return listen(visit)
  const headers = { ...headersOf(known), accept: 'text/event-stream' }
  const head = await firstOf(visit, get(known.endpoint, headers), async () => '')
  if (head === null) return wrong('nothing came', bufferedStream())
  return head.isStream ? ok('GET opens an event stream') : notTried(`the server has none (${head.status})`)
}

async function listen(visit: Visit): Promise<Finding> {
  const params = { notifications: { toolsListChanged: true } }
  const sent = requestOf(visit.known, { method: 'subscriptions/listen', params, era: 'modern' })
  const first = await firstOf(visit, sent, firstText)
  if (first === null) return wrong('nothing came', bufferedStream())
  if (!first.isStream) return notTried(`the server has none (${first.status})`)
  return ok('the first event came at once')
}

interface First {
  readonly status: number
  readonly isStream: boolean
  readonly text: string
}

/** Null when the step's time is over before it. As clients do, it takes compressed answers. */
async function firstOf(
  { options, signal }: Visit,
  sent: Sent,
  read: (response: IncomingMessage) => Promise<string>,
): Promise<First | null> {
  const ending = new AbortController()
  const encoded = { ...sent, headers: { ...sent.headers, 'accept-encoding': 'gzip, br' } }
  try {
    const network = { ca: options.ca, signal: AbortSignal.any([signal, ending.signal]) }
    const response = await openResponse(encoded, network)
    const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true
    const text = isStream ? await read(response) : ''
    return { status: response.statusCode ?? 0, isStream, text }
  } catch (error) {
    if (signal.aborted) return null
    throw error
  } finally {
    ending.abort()
  }
}

/** Decompressed: of a compressed stream the head alone says nothing. */
async function firstText(response: IncomingMessage): Promise<string> {
  const encoding = response.headers['content-encoding'] ?? 'identity'
  for await (const text of decoded(response, encoding)) return String(text)
  return ''
}

function decoded(response: IncomingMessage, encoding: string): Readable {
  if (encoding === 'identity') return response
  const decoder = encoding === 'br' ? createBrotliDecompress() : createUnzip()
  response.on('error', (error) => decoder.destroy(error))
  return response.pipe(decoder)
}
