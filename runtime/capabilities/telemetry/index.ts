/** What others see of a running application: spans, metrics, events. */
import type { Capability } from '../../boot/capability.ts'
import { telemetrySettings } from './settings.ts'

export const telemetry: Capability = {
  name: 'telemetry',
  settings: telemetrySettings,
  isUsed: ({ config, environment }) =>
    environment.metrics !== null || telemetrySettings.read(config.written).telemetry.mode !== 'off',
  unused: null,
  watch: async (app) => (await import('./start.ts')).startTelemetry(app),
}
