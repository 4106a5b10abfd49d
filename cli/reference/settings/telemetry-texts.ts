/** What the settings of telemetry mean, by path. */
import type { SettingText } from './setting-text.ts'

export const telemetryTexts: Readonly<Record<string, SettingText>> = {
  'telemetry.mode': {
    meaning:
      "What is told to an OpenTelemetry SDK: `native` spans and metrics; `propagation` nothing, but the caller's trace goes on to spans of the application; `off` nothing, and no event on `node:diagnostics_channel`. Without an SDK nothing is made.",
    example: "'propagation'",
  },
  'telemetry.toolArguments': {
    meaning: 'Whether the span of a tool call carries its arguments, secrets masked. They are personal data.',
    example: 'true',
  },
  'telemetry.toolResults': {
    meaning: 'Whether the span of a tool call carries its result, secrets masked.',
    example: 'true',
  },
}
