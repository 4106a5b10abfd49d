/** What a client does once it may: both eras' first request, the list, one harmless call, a long message. */
import {
  initialize,
  type McpMessage,
  mismatchCode,
  newestVersion,
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
