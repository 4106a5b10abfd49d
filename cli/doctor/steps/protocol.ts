/** What a client does once it may: both eras' first request, the list, one harmless call, a long message. */
import {
  type McpMessage,
  mismatchCode,
  newestVersion,
  type Reply,
  replyOf,
  replyTrouble,
  requestOf,
  send,
} from '../message.ts'
import { isJsonRecord, type JsonRecord, textIn, textsIn } from '../request.ts'
import {
  answered,
  broken,
  type Finding,
  type Known,
  notTried,
  ok,
  type Step,
  type Visit,
  wrong,
} from '../step.ts'
import { tooLarge } from '../troubles.ts'
import { troubleOf } from '../unexpected-answer.ts'
import { initializeParams } from './endpoint.ts'

export const initializeStep: Step = { name: 'initialize', run: openLegacy }
export const discoverStep: Step = { name: 'discover', run: askVersions }
export const listStep: Step = { name: 'tools/list', run: listTools }
export const callStep: Step = { name: 'tools/call', run: callTool }
export const longMessageStep: Step = { name: 'long message', run: sendLongMessage }

/** Why nothing can be asked of the endpoint; null = it can. */
export function whySkipped({ access, token }: Known): string | null {
  return access === 'open' || token !== null ? null : 'no token'
}

async function openLegacy(visit: Visit): Promise<Finding> {
  const reason = whySkipped(visit.known)
  if (reason !== null) return notTried(reason)
  const reply = await send(visit, { method: 'initialize', params: initializeParams, era: 'legacy' })
  const { answer, result } = reply
  if (result === null) return wrong(answered(answer), replyTrouble('initialize', reply))
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
async function askVersions(visit: Visit): Promise<Finding> {
  const reason = whySkipped(visit.known)
  if (reason !== null) return notTried(reason)
  const reply = await send(visit, { method: 'server/discover', params: {}, era: 'modern' })
  const versions = textsIn(reply.result, 'supportedVersions')
  if (versions !== null) {
    const modern = versions.includes(newestVersion)
    return ok(`revisions ${versions.join(', ')}`, { speaks: { ...visit.known.speaks, modern } })
  }
  const isHindered = reply.error?.code === mismatchCode
  if (!isHindered && visit.known.speaks.legacy) return notTried(`the server does not speak ${newestVersion}`)
  return wrong(answered(reply.answer), replyTrouble('server/discover', reply))
}

const eraOf = ({ speaks }: Known): McpMessage['era'] => (speaks.legacy ? 'legacy' : 'modern')

/** The first page will do. */
async function listTools(visit: Visit): Promise<Finding> {
  const reason = whySkipped(visit.known)
  if (reason !== null) return notTried(reason)
  const reply = await send(visit, { method: 'tools/list', params: {}, era: eraOf(visit.known) })
  const listed = reply.result?.tools
  if (!Array.isArray(listed)) return broken(answered(reply.answer), replyTrouble('tools/list', reply))
  const tools = listed.filter(isJsonRecord)
  return ok(`${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`, { tools })
}

/** Only a tool that says that it changes nothing, and that needs no arguments. */
async function callTool(visit: Visit): Promise<Finding> {
  const { tools } = visit.known
  if (tools === null) return notTried(whySkipped(visit.known) ?? 'no list')
  const name = textIn(tools.find(isHarmless) ?? null, 'name')
  if (name === null)
    return notTried('no tool is marked as reading only (readOnlyHint) and takes no arguments')
  const params = { name, arguments: {} }
  const reply = await send(visit, { method: 'tools/call', params, era: eraOf(visit.known) })
  if (reply.result === null) return wrong(answered(reply.answer), replyTrouble(`a call of ${name}`, reply))
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
async function sendLongMessage({ ask, known }: Visit): Promise<Finding> {
  const argument = { name: 'padding', value: 'x'.repeat(longBytes) }
  const params = { ref: { type: 'ref/prompt', name: 'acmcp_doctor' }, argument }
  const sent = requestOf(known, { method: 'completion/complete', params, era: 'legacy' })
  const answer = await ask(sent)
  const reply: Reply = replyOf(answer)
  const isRefused = answer.status === 401 && whySkipped(known) !== null
  const isTaken = answer.status !== 413 && (reply.result !== null || reply.error !== null)
  if (isTaken || isRefused) return ok(`${answered(answer)} to 100 KiB`)
  return wrong(answered(answer), answer.status === 413 ? tooLarge('100 KiB') : troubleOf(answer))
}
