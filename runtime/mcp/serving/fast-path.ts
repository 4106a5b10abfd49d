/** The methods that are served without the SDK: bytes for lists, embedded JSON for calls, one record per subscription. */
import { ProtocolError } from '@modelcontextprotocol/server'
import type { HttpResponse } from '../../contract/http.ts'
import type { Logger } from '../../contract/store.ts'
import { errorName } from '../../errors.ts'
import { CallTime } from '../../http/limits/call-time.ts'
import { isWellFormed } from '../../utf8.ts'
import type { PermittedClient } from '../access/permission.ts'
import type { ToolContents } from '../answers/result.ts'
import type { RunCall } from '../calls/run-call.ts'
import type { SendProgress } from '../calls/tool-answer.ts'
import { errorCodes, isObject } from '../protocol/constants.ts'
import type { Refusal } from '../protocol/http-refusal.ts'
import type { ListCache, VersionedList } from '../protocol/list-cache.ts'
import { type FastMessage, filterIn } from '../protocol/message.ts'
import { withProgress } from '../streams/event-stream.ts'
import type { Streams } from '../streams/streams.ts'
import type { Tools } from '../tools/tools.ts'
import { isOther, type Offered } from './offered.ts'
import type { ResultWriter } from './result-writer.ts'

/** The answer to one HTTP request, and why a tool call in it came to no result. */
export interface Served {
  readonly outcome: HttpResponse
  readonly refusal: Refusal | null
  /** Whether it is known to hold no half of a surrogate pair; absent = not looked at yet. */
  readonly isUnicode?: boolean
}

export interface FastPathOptions {
  readonly tools: Pick<Tools, 'has' | 'runner'>
  readonly runCall: RunCall
  readonly offered: Offered
  readonly texts: ResultWriter
  readonly lists: ListCache
  readonly streams: Streams
  readonly log: Logger
}

/** A client, and the tools that it is to see in its list. */
export interface ListedClient extends PermittedClient {
  readonly listed: VersionedList
}

/** Serves a message of a client; `bySdk` when the SDK must say what is wrong. */
export type ServeFast = (message: FastMessage, client: ListedClient, bySdk: BySdk) => Promise<Served>

type BySdk = () => Promise<Served>

/** Serves what `fastMessage` let through. */
export function createFastPath(options: FastPathOptions): ServeFast {
  return (message, client, bySdk) => {
    switch (message.method) {
      case 'tools/list':
        return list(message, client.listed, options, bySdk)
      case 'subscriptions/listen':
        return Promise.resolve(plain(options.streams.listen(message.id, client, filterIn(message.params))))
      case 'tools/call':
        return callTool({ message, name: String(message.params.name), client, options })
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
  return outcome === null ? bySdk() : plain(outcome)
}

/** Of an application that has none the SDK must say so. */
async function answerOffered(
  message: FastMessage,
  client: PermittedClient,
  { offered, texts }: FastPathOptions,
  bySdk: BySdk,
): Promise<Served> {
  const { id, era } = message
  const answered = (body: string): Served => plain({ status: 200, headers: json, body })
  try {
    const answering = offered.answer(message, client)
    if (answering === null) return bySdk()
    const answer = await answering
    if (!isOther(answer)) return answered(texts.result(id, era, answer))
    if (answer.kind === 'refused') return { outcome: replaced, refusal: answer.refusal }
    return answered(texts.call(id, era, answer))
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    return answered(texts.error(id, error.code, error.message, error.data))
  }
}

const plain = (outcome: HttpResponse): Served => ({ outcome, refusal: null })

function callTool(call: FastCall): Promise<Served> {
  const { message, name, options } = call
  if (!options.tools.has(name)) return callUnknown(call)
  if (message.meta.progressToken === undefined) return run(call, null)
  const last = ({ outcome, refusal }: Served): string =>
    refusal === null && typeof outcome.body === 'string'
      ? outcome.body
      : options.texts.error(message.id, errorCodes.invalidRequest, 'Refused')
  const failed = (error: unknown): string => {
    logFailure(options.log, { tool: name, error: errorName(error) })
    return options.texts.error(message.id, errorCodes.internalError, 'Internal error')
  }
  return withProgress((sendProgress) => run(call, sendProgress), { last, failed, plain })
}

/** No tool has this name, which is limited and answered as the SDK answers what it is thrown. */
async function callUnknown(call: FastCall): Promise<Served> {
  try {
    return await run(call, null)
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    const { message, options } = call
    const body = options.texts.error(message.id, error.code, error.message)
    return plain({ status: 200, headers: json, body })
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

interface FastCall {
  readonly message: FastMessage
  readonly name: string
  readonly client: PermittedClient
  readonly options: FastPathOptions
}

function run(call: FastCall, sendProgress: SendProgress | null): Promise<Served> {
  const { message, name, options } = call
  const { request, caller, permission, watched } = call.client
  const { era, id, meta, params } = message
  const args = isObject(params.arguments) ? params.arguments : noArguments
  const unwatched = { era, id, meta, sendProgress, retry: null }
  const wire = watched === undefined ? unwatched : { era, id, meta, sendProgress, retry: null, watched }
  const time = new CallTime()
  const named = { name, args, sent: args, client: request, caller, permission, message: wire, time } // a spread costs 2 µs
  return options.runCall(named, options.tools.runner(name)).then(({ answer }) => {
    if (answer.kind === 'refused') return { outcome: replaced, refusal: answer.refusal }
    const outcome = { status: 200, headers: json, body: options.texts.call(id, era, answer) }
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
const json = Object.freeze({ 'content-type': 'application/json; charset=utf-8' })

/** Stands where the endpoint puts its own answer. */
const replaced: HttpResponse = { status: 500, headers: {}, body: null }
