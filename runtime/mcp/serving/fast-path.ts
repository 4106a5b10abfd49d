/** Messages that are served without the SDK: bytes for lists, embedded JSON for calls, one record per subscription. */
import { ProtocolError } from '@modelcontextprotocol/server'
import type { Logger } from '../../contract/store.ts'
import { errorName } from '../../errors.ts'
import { isWellFormed } from '../../utf8.ts'
import type { PermittedClient } from '../access/permission.ts'
import type { ToolContents } from '../answers/result.ts'
import { answerIn, type McpMethod, type McpMethods, type MethodAnswer } from '../method.ts'
import { errorCodes } from '../protocol/constants.ts'
import { messageAnswer, type Served, servedAs, servedRefusal } from '../protocol/http-refusal.ts'
import type { ListCache, VersionedList } from '../protocol/list-cache.ts'
import type { MethodMessage } from '../protocol/message.ts'
import { withProgress } from '../streams/event-stream.ts'
import type { Streams } from '../streams/streams.ts'
import type { MessageBody } from './fetch-adapter.ts'
import type { ResultWriter } from './result-writer.ts'

export interface FastPathOptions {
  readonly methods: McpMethods
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

/** Serves a message whose method is in the table; `bySdk` when the SDK must say what is wrong. */
export type ServeFast = (message: MethodMessage, client: Posted, bySdk: BySdk) => Promise<Served>

type BySdk = () => Promise<Served>

interface FastCall {
  readonly method: McpMethod
  readonly message: MethodMessage
  readonly client: Posted
  readonly bySdk: BySdk
}

export function createFastPath(options: FastPathOptions): ServeFast {
  return (message, client, bySdk) => {
    const method = options.methods.get(message.method)
    if (method === undefined) return bySdk()
    const call = { method, message, client, bySdk }
    const isReporting = message.meta.progressToken !== undefined && method.reports?.(message.params) === true
    return isReporting ? reporting(call, options) : answered(call, options)
  }
}

function answered(call: FastCall, options: FastPathOptions): Promise<Served> {
  const { method, message, client } = call
  const { params } = message
  try {
    const answer = method.answer({ params, client, message })
    if (answer instanceof Promise)
      return answer.then((value) => written(answerIn(value), call, options), failed)
    return Promise.resolve(written(answerIn(answer), call, options))
  } catch (error) {
    return failed(error)
  }
  async function failed(error: unknown): Promise<Served> {
    if (!(error instanceof ProtocolError)) throw error
    const { code, message: text, data } = error
    return servedAs(messageAnswer(options.texts.error(message.id, code, text, data)))
  }
}

function written(
  answer: MethodAnswer,
  { message: { id, era }, client, bySdk }: FastCall,
  { texts, lists, streams }: FastPathOptions,
): Served | Promise<Served> {
  switch (answer.kind) {
    case 'refused':
      return servedRefusal(answer.refusal)
    case 'result':
      return servedAs(messageAnswer(texts.result(id, era, answer.result)))
    case 'tools':
      return lists(id, { ...client.listed, era, cursor: answer.cursor }).then((page) =>
        page === null ? bySdk() : servedAs(page),
      )
    case 'subscription':
      return servedAs(streams.listen(id, client, answer.filter))
    default: {
      const outcome = messageAnswer(texts.call(id, era, answer))
      return { outcome, refusal: null, isUnicode: answer.kind === 'contents' && isUnicode(answer.contents) }
    }
  }
}

/** A route's JSON has been looked through (`toContents`); to do it again in the whole answer costs a call 2 %. */
const isUnicode = (contents: ToolContents): boolean =>
  contents.kind === 'json' &&
  contents.note === undefined &&
  contents._meta === undefined &&
  isWellFormed(contents.text)

function reporting(call: FastCall, options: FastPathOptions): Promise<Served> {
  const { message } = call
  const { texts, log } = options
  const last = ({ outcome, refusal }: Served): string =>
    refusal === null && typeof outcome.body === 'string'
      ? outcome.body
      : texts.error(message.id, errorCodes.invalidRequest, 'Refused')
  const failed = (error: unknown): string => {
    logFailure(log, { tool: String(message.params.name), error: errorName(error) })
    return texts.error(message.id, errorCodes.internalError, 'Internal error')
  }
  return withProgress(
    (sendProgress) => answered({ ...call, message: { ...message, sendProgress } }, options),
    { last, failed, plain: servedAs },
  )
}

/** The answer comes first: a log that fails must not cost it. */
function logFailure(log: Logger, fields: { readonly tool: string; readonly error: string }): void {
  try {
    log.error(fields, 'a tool call failed after it had reported progress')
  } catch {
    // there is no other log
  }
}
