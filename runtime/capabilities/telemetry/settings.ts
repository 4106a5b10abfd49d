/** The settings of telemetry. */
import { flag, oneOf } from '../../boot/settings/checks.ts'
import { type Group, group, type Setting, setting } from '../../boot/settings/setting.ts'

/** What is told of requests and tool calls. */
export class TelemetrySettings {
  /** `native`: spans, metrics and events, when an OpenTelemetry SDK is there; `propagation`: the trace of the caller goes on, and
   *  no span is made; `off`: nothing. Default `native`. */
  readonly mode: Setting<'native' | 'propagation' | 'off'> = setting(
    oneOf('native', 'propagation', 'off'),
    'native',
  )
  /** Whether the span of a tool call carries its arguments; default false. */
  readonly toolArguments: Setting<boolean> = setting(flag, false)
  /** The same of its result; default false. */
  readonly toolResults: Setting<boolean> = setting(flag, false)
}

export class TelemetryTable {
  /** Spans, metrics and events, through the OpenTelemetry API. See templates/docs/telemetry.md. */
  readonly telemetry: Group<TelemetrySettings> = group(new TelemetrySettings())
}

export const telemetrySettings: Group<TelemetryTable> = group(new TelemetryTable())
