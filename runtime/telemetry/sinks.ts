/** Who takes what telemetry has to say: looked at once, when the application starts. The OpenTelemetry API is loaded only where an SDK
 *  has registered itself with one before: it costs a start 20 ms. */
import type { SpanIds } from '../contract/calls.ts'
import { type Instruments, registryInstruments } from './instruments.ts'
import type { Attributes, MetricRegistry } from './registry.ts'

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

interface Wanted {
  readonly mode: TelemetryMode
  /** Of the application. */
  readonly version: string
  /** What the process keeps for itself, in every mode; null = nothing. */
  readonly registry: MetricRegistry | null
}

/** Without an SDK there is neither tracer nor meter, and nothing is made for them. */
export async function findSinks({ mode, version, registry }: Wanted): Promise<Sinks> {
  const kept = registry && registryInstruments(registry)
  if (mode === 'off' || !isRegistered()) return { tracing: null, instruments: kept, warning: null }
  const { sdkSinks } = await import('./sdk.ts')
  const { tracing, reported, warning } = sdkSinks(mode, version)
  if (reported === null || kept === null) return { tracing, instruments: reported ?? kept, warning }
  return { tracing, instruments: both(kept, reported), warning }
}

/** Whether somebody has registered a part of an SDK. Source: OpenTelemetry API for JavaScript, global-utils. */
const isRegistered = (): boolean => Symbol.for('opentelemetry.js.api.1') in globalThis

const both = (kept: Instruments, reported: Instruments): Instruments => ({
  add(definition, attributes, by) {
    kept.add(definition, attributes, by)
    reported.add(definition, attributes, by)
  },
  record(definition, attributes, seconds) {
    kept.record(definition, attributes, seconds)
    reported.record(definition, attributes, seconds)
  },
  onRead(gauges, read) {
    kept.onRead(gauges, read)
    reported.onRead(gauges, read)
  },
})
