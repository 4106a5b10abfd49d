/** What the SDK that is registered has: a tracer, a meter, a propagator. */
import { createNoopMeter, metrics, ProxyTracerProvider, propagation, trace } from '@opentelemetry/api'
import type { Instruments } from '../metrics/instruments.ts'
import { scope } from '../names.ts'
import type { Tracing } from '../sinks.ts'
import { MeterInstruments } from './meter.ts'
import { tracingWith } from './tracing.ts'

/** Null where the SDK has no such part, or the mode does not want it. */
interface SdkSinks {
  readonly tracing: Tracing | null
  readonly reported: Instruments | null
  readonly warning: string | null
}

export function sdkSinks(mode: 'native' | 'propagation', version: string): SdkSinks {
  const isNative = mode === 'native'
  const tracer = isNative && hasTracer() ? trace.getTracer(scope, version) : null
  const propagates = propagation.fields().length > 0
  return {
    tracing: tracer === null && !propagates ? null : tracingWith(tracer),
    reported: isNative && hasMeter() ? new MeterInstruments(metrics.getMeter(scope, version)) : null,
    warning: deafness(),
  }
}

function hasTracer(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(scope) !== undefined
}

const hasMeter = (): boolean => metrics.getMeter(scope) !== createNoopMeter()

/** The API takes no SDK that was registered with an older API. Source: OpenTelemetry API for JavaScript, `isCompatible`. */
function deafness(): string | null {
  const registered: unknown = Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1'))
  if (typeof registered !== 'object' || registered === null || !('trace' in registered)) return null
  if (hasTracer()) return null
  const { version = 'unknown' } = registered as { readonly version?: string } // the API's own record
  return `the OpenTelemetry SDK that is registered uses @opentelemetry/api ${version}, older than that of acmcp: it hears nothing. Install one version for both (npm ls @opentelemetry/api)`
}
