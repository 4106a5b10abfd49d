/** Spans and contexts, by the OpenTelemetry API alone. */
import {
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { defined } from '../metrics/instruments.ts'
import type { Attributes } from '../metrics/registry.ts'
import type { Carrier, SpanScope, SpanStart, Tracing } from '../sinks.ts'

/** SERVER spans; without a tracer the context of callers alone. */
export const tracingWith = (tracer: Tracer | null): Tracing => ({
  ofRequest: (headers, start) => open(tracer, parentOfRequest(headers), start),
  ofMessage: (meta, start) => open(tracer, parentOfMessage(meta), start),
})

interface Parent {
  readonly context: Context
  readonly links: Link[]
}

const texts: TextMapGetter<Carrier> = {
  keys: (carrier) => Object.keys(carrier),
  get(carrier, name) {
    const value = carrier[name]
    return typeof value === 'string' ? value : undefined
  },
}

/** What is active already (a span of another instrumentation), else what the headers say. */
function parentOfRequest(headers: Carrier): Parent {
  const active = context.active()
  const isInside = trace.getSpanContext(active) !== undefined
  return { context: isInside ? active : propagation.extract(active, headers, texts), links: [] }
}

/** What `_meta` says, with a link to the HTTP request; where it says nothing, the HTTP request. Source: semantic-conventions-genai, docs/gen-ai/mcp.md, Context
 *  propagation. */
function parentOfMessage(meta: Carrier): Parent {
  const active = context.active()
  const sent = propagation.extract(ROOT_CONTEXT, meta, texts)
  if (trace.getSpanContext(sent) === undefined) return { context: active, links: [] }
  const ambient = trace.getSpanContext(active)
  // the request's own values stay (baggage where the message has none), its span does not
  const inside = propagation.extract(active, meta, texts)
  return { context: inside, links: ambient === undefined ? [] : [{ context: ambient }] }
}

function open(tracer: Tracer | null, parent: Parent, start: () => SpanStart): SpanScope {
  if (tracer === null) return new OpenScope(parent.context, null)
  const { name, attributes } = start()
  const options = { kind: SpanKind.SERVER, attributes: defined(attributes), links: parent.links }
  const span = tracer.startSpan(name, options, parent.context)
  return new OpenScope(trace.setSpan(parent.context, span), span)
}

class OpenScope implements SpanScope {
  readonly traceId: string | null
  readonly spanId: string | null
  readonly isRecording: boolean
  readonly #context: Context
  readonly #span: Span | null

  constructor(inside: Context, span: Span | null) {
    this.#context = inside
    this.#span = span
    this.isRecording = span?.isRecording() ?? false
    const ids = trace.getSpanContext(inside)
    const isValid = ids !== undefined && trace.isSpanContextValid(ids)
    this.traceId = isValid ? ids.traceId : null
    this.spanId = isValid ? ids.spanId : null
  }

  run<Result>(work: () => Result): Result {
    return context.with(this.#context, work)
  }

  set(attributes: Attributes): void {
    if (this.isRecording) this.#span?.setAttributes(defined(attributes))
  }

  end(error: { readonly message: string | null } | null): void {
    if (error !== null) {
      const { message } = error
      this.#span?.setStatus({ code: SpanStatusCode.ERROR, ...(message === null ? {} : { message }) })
    }
    this.#span?.end()
  }
}
