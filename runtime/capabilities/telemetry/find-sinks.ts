/** Finds the sinks: looked for once, when the application starts. The OpenTelemetry API is loaded only where an SDK has registered
 *  itself with one before: it costs a start 20 ms. */
import { type Instruments, registryInstruments } from './metrics/instruments.ts'
import type { MetricRegistry } from './metrics/registry.ts'
import type { Sinks, TelemetryMode } from './sinks.ts'

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
  const { sdkSinks } = await import('./sdk/index.ts').catch(withoutApi)
  const { tracing, reported, warning } = sdkSinks(mode, version)
  if (reported === null || kept === null) return { tracing, instruments: reported ?? kept, warning }
  return { tracing, instruments: both(kept, reported), warning }
}

/** Whether the application has registered a part of an SDK. Source: OpenTelemetry API for JavaScript, global-utils. */
const isRegistered = (): boolean => Symbol.for('opentelemetry.js.api.1') in globalThis

/** The API is an optional peer: an application that installs an SDK installs it too. */
function withoutApi(error: NodeJS.ErrnoException): Pick<typeof import('./sdk/index.ts'), 'sdkSinks'> {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  const warning =
    'an OpenTelemetry SDK is registered, and acmcp does not find @opentelemetry/api: it hears nothing. Install it: npm install @opentelemetry/api'
  return { sdkSinks: () => ({ tracing: null, reported: null, warning }) }
}

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
