/** The receivers of telemetry. Types alone. */
import type { SpanIds } from '../../contract/calls.ts'
import type { Instruments } from './metrics/instruments.ts'
import type { Attributes } from './metrics/registry.ts'

/** `native`: spans, metrics and the context of callers. `propagation`: their context alone. `off`: nothing. */
export type TelemetryMode = 'native' | 'propagation' | 'off'

/** Where trace context is read from: headers, or `_meta`. */
export type Carrier = Readonly<Record<string, unknown>>

/** What a span begins with. */
export interface SpanStart {
  readonly name: string
  readonly attributes: Attributes
}

/** What a request or a message runs in. Without a span what is set and ended is nothing. */
export interface SpanScope extends SpanIds {
  readonly isRecording: boolean
  /** Runs `work` in the context, also what it waits for. */
  run<Result>(work: () => Result): Result
  set(attributes: Attributes): void
  /** `error`: it failed, with these words when they say more than the attributes. */
  end(error: { readonly message: string | null } | null): void
}

export interface Tracing {
  /** The scope of a request with these headers. */
  ofRequest(headers: Carrier, start: () => SpanStart): SpanScope
  /** The scope of a message with this `_meta`, within that of its request. */
  ofMessage(meta: Carrier, start: () => SpanStart): SpanScope
}

export interface Sinks {
  /** Null = neither spans nor contexts. */
  readonly tracing: Tracing | null
  /** Null = nothing is measured. */
  readonly instruments: Instruments | null
  /** What is wrong with an SDK that hears nothing, or null. */
  readonly warning: string | null
}
