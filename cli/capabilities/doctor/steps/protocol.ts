/** What a client does once it may: both eras' first request, the list, one harmless call, a long message, and a stream. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import {
  headersOf,
  initialize,
  type McpMessage,
  mismatchCode,
  newestVersion,
  replyOf,
  replyTrouble,
  requestOf,
  send,
} from '../message.ts'
import { get, isJsonRecord, type JsonRecord, openResponse, type Sent, textIn, textsIn } from '../request.ts'
import {
  answered,
  broken,
  type Finding,
  type Known,
  notTried,
  ok,
  type Visit,
  whySkipped,
  wrong,
} from '../step.ts'
import { trouble } from '../troubles.ts'
import { troubleOf } from '../unexpected-answer.ts'

export async function openLegacy(visit: Visit): Promise<Finding> {
  const reply = await send(visit, initialize)
  const { answer, result } = reply
  if (result === null) return wrong(answer, replyTrouble('initialize', reply))
  const session = answer.headers['mcp-session-id']
  const revision = textIn(result, 'protocolVersion')
  const known = { ...visit.known, revision, session: typeof session === 'string' ? session : null }
  await visit.ask(requestOf(known, { method: 'notifications/initialized', params: {}, era: 'legacy' }))
  const server = isJsonRecord(result.serverInfo) ? result.serverInfo : null
  const name = [textIn(server, 'name'), textIn(server, 'version')].filter((text) => text !== null).join(' ')
  const speaks = { ...visit.known.speaks, legacy: true }
  return ok(`${name}, revision ${revision}`, { revision, session: known.session, speaks })
}

/** Servers need not speak the newest revision; one that does is hindered when its headers are missing. */
export async function askVersions(visit: Visit): Promise<Finding> {
  const reply = await send(visit, { method: 'server/discover', params: {}, era: 'modern' })
  const versions = textsIn(reply.result, 'supportedVersions')
  if (versions !== null) {
    const modern = versions.includes(newestVersion)
    return ok(`revisions ${versions.join(', ')}`, { speaks: { ...visit.known.speaks, modern } })
  }
  const isHindered = reply.error?.code === mismatchCode
  if (!isHindered && visit.known.speaks.legacy) return notTried(`the server does not speak ${newestVersion}`)
  return wrong(reply.answer, replyTrouble('server/discover', reply))
}

const eraOf = ({ speaks }: Known): McpMessage['era'] => (speaks.legacy ? 'legacy' : 'modern')

/** The first page will do. */
export async function askForTools(visit: Visit): Promise<Finding> {
  const reply = await send(visit, { method: 'tools/list', params: {}, era: eraOf(visit.known) })
  const listed = reply.result?.tools
  if (!Array.isArray(listed)) return broken(reply.answer, replyTrouble('tools/list', reply))
  const tools = listed.filter(isJsonRecord)
  return ok(`${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`, { tools })
}

/** Only a tool that says that it changes nothing, and that needs no arguments. */
export async function callTool(visit: Visit<'tools'>): Promise<Finding> {
  const name = textIn(visit.known.tools.find(isHarmless) ?? null, 'name')
  if (name === null)
    return notTried('no tool is marked as reading only (readOnlyHint) and takes no arguments')
  const params = { name, arguments: {} }
  const reply = await send(visit, { method: 'tools/call', params, era: eraOf(visit.known) })
  if (reply.result === null) return wrong(reply.answer, replyTrouble(`a call of ${name}`, reply))
  return ok(reply.result.isError === true ? `${name} answered that it failed` : `${name} answered`)
}

function isHarmless({ annotations, inputSchema }: JsonRecord): boolean {
  const isReading = isJsonRecord(annotations) && annotations.readOnlyHint === true
  const schema = isJsonRecord(inputSchema) ? inputSchema : null
  return isReading && (textsIn(schema, 'required') ?? []).length === 0
}

const longBytes = 100 * 1024

/** Arguments of a tool may be long; a proxy with a small limit refuses them. Asked for completions, a server runs nothing, and takes as
 *  much as in a call. */
export async function sendLongMessage({ ask, known }: Visit): Promise<Finding> {
  const argument = { name: 'padding', value: 'x'.repeat(longBytes) }
  const params = { ref: { type: 'ref/prompt', name: 'acmcp_doctor' }, argument }
  const sent = requestOf(known, { method: 'completion/complete', params, era: 'legacy' })
  const answer = await ask(sent)
  if (answer.status === 413) return wrong(answer, trouble('tooLarge', { bytes: '100 KiB' }))
  const { result, error } = replyOf(answer)
  const isRefused = answer.status === 401 && whySkipped(['admission'], known) !== null
  if (result !== null || error !== null || isRefused) return ok(`${answered(answer)} to 100 KiB`)
  return wrong(answer, troubleOf(answer))
}

/** Whether what the server sends at once arrives at once. A subscription of 2026-07-28 is acknowledged at once. On the GET stream before it a server may be silent: of that only
 *  the head must come. Source: MCP 2026-07-28, subscriptions/listen; MCP 2025-11-25, Streamable HTTP, Listening. */
export async function openStreams(visit: Visit): Promise<Finding> {
  const { known } = visit
  const { modern } = known.speaks
  const params = { notifications: { toolsListChanged: true } }
  const sent = modern
    ? requestOf(known, { method: 'subscriptions/listen', params, era: 'modern' })
    : get(known.endpoint, { ...headersOf(known), accept: 'text/event-stream' })
  const first = await firstOf(visit, sent, modern ? waitForText : async () => {})
  if (first === null) return wrong('nothing came', trouble('bufferedStream'))
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
