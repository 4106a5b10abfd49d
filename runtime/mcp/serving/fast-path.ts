/** The methods that are served without the SDK: bytes for lists, embedded JSON for calls, one record per subscription. */
import { ProtocolError } from '@modelcontextprotocol/server'
import type { Logger } from '../../contract/store.ts'
import { errorName } from '../../errors.ts'
import { isWellFormed } from '../../utf8.ts'
import type { PermittedClient } from '../access/permission.ts'
import type { ToolContents } from '../answers/result.ts'
import type { RunCall } from '../calls/run-call.ts'
import { type ToolCall, toolCallFrom } from '../calls/tool-answer.ts'
import { errorCodes, isObject } from '../protocol/constants.ts'
import { messageAnswer, type Served, servedAs, servedRefusal } from '../protocol/http-refusal.ts'
import type { ListCache, VersionedList } from '../protocol/list-cache.ts'
import { type FastMessage, filterIn } from '../protocol/message.ts'
import { withProgress } from '../streams/event-stream.ts'
import type { Streams } from '../streams/streams.ts'
import type { Tools } from '../tools/tools.ts'
import type { MessageBody } from './fetch-adapter.ts'
import { isOther, type Offered } from './offered.ts'
import type { ResultWriter } from './result-writer.ts'

export interface FastPathOptions {
  readonly tools: Pick<Tools, 'has' | 'runner'>
  readonly runCall: RunCall
  readonly offered: Offered
  readonly texts: ResultWriter
  readonly lists: ListCache
  readonly streams: Streams
  readonly log: Logger
}

/** One POST whose message has been read, of a client that is to see `listed` in its list. */
export interface Posted extends PermittedClient {
  readonly listed: VersionedList
  readonly body: MessageBody
}

/** Serves a message of a client; `bySdk` when the SDK must say what is wrong. */
export type ServeFast = (message: FastMessage, client: Posted, bySdk: BySdk) => Promise<Served>

type BySdk = () => Promise<Served>

/** Serves what `fastMessage` let through. */
export function createFastPath(options: FastPathOptions): ServeFast {
  return (message, client, bySdk) => {
    switch (message.method) {
      case 'tools/list':
        return list(message, client.listed, options, bySdk)
      case 'subscriptions/listen':
        return Promise.resolve(servedAs(options.streams.listen(message.id, client, filterIn(message.params))))
      case 'tools/call':
        return callTool(message, client, options)
      case 'prompts/get':
      case 'resources/read':
        return answerOffered(message, client, options, bySdk)
    }
  }
}

async function list(
  { id, era, params }: FastMessage,
  { tools, version }: VersionedList,
  { lists }: FastPathOptions,
  bySdk: BySdk,
): Promise<Served> {
  const cursor = typeof params.cursor === 'string' ? params.cursor : undefined
  const outcome = await lists(id, { tools, version, era, cursor })
  return outcome === null ? bySdk() : servedAs(outcome)
}

/** Of an application that has none the SDK must say so. */
async function answerOffered(
  message: FastMessage,
  client: PermittedClient,
  { offered, texts }: FastPathOptions,
  bySdk: BySdk,
): Promise<Served> {
  const { id, era } = message
  try {
    const answering = offered.answer(message, client)
    if (answering === null) return bySdk()
    const answer = await answering
    if (!isOther(answer)) return answered(texts.result(id, era, answer))
    if (answer.kind === 'refused') return servedRefusal(answer.refusal)
    return answered(texts.call(id, era, answer))
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    return answered(texts.error(id, error.code, error.message, error.data))
  }
}

const answered = (body: string): Served => servedAs(messageAnswer(body))

function callTool(message: FastMessage, client: PermittedClient, options: FastPathOptions): Promise<Served> {
  const { name, arguments: args } = message.params
  const call = toolCallFrom(
    { name: String(name), args: isObject(args) ? args : noArguments },
    client,
    message,
  )
  if (!options.tools.has(call.name)) return callUnknown(call, options)
  if (message.meta.progressToken === undefined) return run(call, options)
  const last = ({ outcome, refusal }: Served): string =>
    refusal === null && typeof outcome.body === 'string'
      ? outcome.body
      : options.texts.error(message.id, errorCodes.invalidRequest, 'Refused')
  const failed = (error: unknown): string => {
    logFailure(options.log, { tool: call.name, error: errorName(error) })
    return options.texts.error(message.id, errorCodes.internalError, 'Internal error')
  }
  return withProgress((sendProgress) => run({ ...call, message: { ...message, sendProgress } }, options), {
    last,
    failed,
    plain: servedAs,
  })
}

/** No tool has this name, which is limited and answered as the SDK answers what it is thrown. */
async function callUnknown(call: ToolCall, options: FastPathOptions): Promise<Served> {
  try {
    return await run(call, options)
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    return answered(options.texts.error(call.message.id, error.code, error.message))
  }
}

/** The answer comes first: a log that fails must not cost it. */
function logFailure(log: Logger, fields: { readonly tool: string; readonly error: string }): void {
  try {
    log.error(fields, 'a tool call failed after it had reported progress')
  } catch {
    // there is nobody else to tell
  }
}

function run(call: ToolCall, { runCall, tools, texts }: FastPathOptions): Promise<Served> {
  const { id, era } = call.message
  return runCall(call, tools.runner(call.name)).then(({ answer }) => {
    if (answer.kind === 'refused') return servedRefusal(answer.refusal)
    const outcome = messageAnswer(texts.call(id, era, answer))
    return { outcome, refusal: null, isUnicode: answer.kind === 'contents' && isUnicode(answer.contents) }
  })
}

/** A route's JSON has been looked through (`toContents`); to do it again in the whole answer costs a call 2 %. */
const isUnicode = (contents: ToolContents): boolean =>
  contents.kind === 'json' &&
  contents.note === undefined &&
  contents._meta === undefined &&
  isWellFormed(contents.text)

const noArguments = {}
