/** What is kept of an answer, and the answer that is made of it for a repeated call: negotiated, cut and without secrets for its caller. */
import type { HttpResponse, MaybePromise } from '../../contract/http.ts'
import { type AnswerWriter, asItIs } from '../../http/output/answer-writers.ts'
import { isStreamLike } from '../../http/output/byte-stream.ts'
import { toolContentType } from '../../http/output/tool-result.ts'
import { Rendered, type RenderedContent } from '../../http/pipeline/controller.ts'
import { answerOfHandler } from '../../http/pipeline/handlers.ts'
import { answerType, methodAnswer, statusOf } from '../../http/pipeline/method-answer.ts'
import type { PreparedRoute, RequestContext } from '../../http/pipeline/request-context.ts'

type Handler = PreparedRoute['handlers'][number]
type Headers = HttpResponse['headers']

/** JSON. */
export interface KeptAnswer {
  readonly status: number
  /** That the method, or the exception handler, has set. */
  readonly headers: Headers
  /** What was asked for besides `@scope`: a caller that gets the answer again must still have them. */
  readonly scopes: readonly string[]
  /** The name of the exception handler; null = the method answered. */
  readonly handler: string | null
  readonly content: KeptContent
}

type KeptContent =
  /** JSON text of what was returned; null = nothing was. */
  | { readonly kind: 'returned'; readonly json: string | null }
  /** Base64 of bytes that were. */
  | { readonly kind: 'bytes'; readonly text: string }
  | {
      readonly kind: 'rendered'
      readonly type: string | null
      readonly headers: Readonly<Record<string, string>>
      readonly content: RenderedText
    }
  /** What no handler took. */
  | { readonly kind: 'failed' }

/** A body as text: JSON of a value, base64 of bytes. */
type RenderedText =
  | { readonly kind: 'none' }
  | { readonly kind: 'json' | 'yaml' | 'text' | 'bytes'; readonly text: string }

/** The route that answered. */
export interface AnswerSource {
  readonly context: RequestContext
  /** Null = the method. */
  readonly handler: Handler | null
  readonly headers: Headers
}

export const failedAnswer = (status: number): KeptAnswer => ({
  status,
  headers: {},
  scopes: [],
  handler: null,
  content: { kind: 'failed' },
})

/** Null for what cannot be kept: a stream, a file, a blob, what is no JSON. `made` is what the method or the handler rendered or returned. */
export function keptAnswer(made: unknown, source: AnswerSource): KeptAnswer | null {
  try {
    return keptOf(made, source)
  } catch {
    return null // the first call may have an answer all the same: of a responder of the application
  }
}

function keptOf(made: unknown, source: AnswerSource): KeptAnswer | null {
  const { context, handler, headers } = source
  const { route, writers: own } = context.prepared
  const writers = handler === null ? own : handler.writers
  const of = { headers: keepable(headers), scopes: context.requiredScopes, handler: handler?.name ?? null }
  if (made instanceof Rendered) {
    const { status, contentType: type } = made
    const writer = type === toolContentType ? asItIs : (writers?.kept(status, 'rendered') ?? asItIs)
    const content = renderedText(made.content, writer)
    if (content === null) return null
    return { ...of, status, content: { kind: 'rendered', type, headers: keepable(made.headers), content } }
  }
  if (made instanceof Blob || isStreamLike(made)) return null
  const status = handler === null ? statusOf(route, made) : handler.status
  if (made instanceof Uint8Array) return { ...of, status, content: { kind: 'bytes', text: base64(made) } }
  const writer = writers?.kept(status, 'returned') ?? asItIs
  return { ...of, status, content: { kind: 'returned', json: made === undefined ? null : writer.json(made) } }
}

function renderedText(content: RenderedContent, writer: AnswerWriter): RenderedText | null {
  switch (content.kind) {
    case 'none':
      return { kind: 'none' }
    case 'json':
    case 'yaml':
      return { kind: content.kind, text: writer.json(content.value) }
    case 'text':
      return { kind: 'text', text: content.text }
    case 'bytes':
      return { kind: 'bytes', text: base64(content.bytes) }
    default:
      return null
  }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const keepable = <T extends Headers>(headers: T): T =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'set-cookie')) as T // some of its own

/** The answer to what a method or a handler came to: that of the first call, and of every call that repeats it. */
export function answerTo(
  made: unknown,
  { context, handler }: Omit<AnswerSource, 'headers'>,
  status?: number,
): MaybePromise<HttpResponse> | null {
  return handler === null
    ? methodAnswer(context, made, answerType(context), status)
    : answerOfHandler(handler, made, context.request)
}

/** Null where the exception handler that answered is gone. */
export function answerAgain(
  { status, handler: name, content }: KeptAnswer,
  context: RequestContext,
): MaybePromise<HttpResponse> | null {
  if (content.kind === 'failed') return { status, headers: jsonHeaders, body: '{}' }
  const handler = name === null ? null : context.prepared.handlers.find((item) => item.name === name)
  if (handler === undefined) return null
  return answerTo(madeAgain(content, status), { context, handler }, status)
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' }

function madeAgain(content: Exclude<KeptContent, { kind: 'failed' }>, status: number): unknown {
  if (content.kind === 'rendered') return renderedAgain(content, status)
  if (content.kind === 'bytes') return Buffer.from(content.text, 'base64')
  return content.json === null ? undefined : JSON.parse(content.json)
}

function renderedAgain(
  { content, type, headers }: Extract<KeptContent, { kind: 'rendered' }>,
  status: number,
): Rendered {
  return new Rendered(status, contentAgain(content), type, headers)
}

function contentAgain(kept: RenderedText): RenderedContent {
  if (kept.kind === 'none') return kept
  const { kind, text } = kept
  if (kind === 'text') return { kind, text }
  return kind === 'bytes' ? { kind, bytes: Buffer.from(text, 'base64') } : { kind, value: JSON.parse(text) }
}
