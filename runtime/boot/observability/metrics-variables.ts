/** `METRICS_PORT`, `METRICS_HOST` and `METRICS_TOKEN`: whether, where and to whom `/metrics` answers. */
import { isLoopbackHost } from '../../loopback.ts'
import { BootError } from '../boot-error.ts'
import { variableDefaults } from '../variables.ts'

export interface MetricsSettings {
  /** A port of its own; null = the port of the application. */
  readonly port: number | null
  /** Where that port listens. */
  readonly host: string
  /** What a scraper must send; null = nothing, on a port of its own alone. */
  readonly token: string | null
}

/** Null without port and token: then nothing is measured for `/metrics`. Throws `BootError`. */
export function readMetricsSettings(
  read: (name: 'METRICS_PORT' | 'METRICS_HOST') => string | null,
  token: string | null,
): MetricsSettings | null {
  const [port, host] = [read('METRICS_PORT'), read('METRICS_HOST')]
  if (port === null) {
    if (host !== null) throw new BootError('METRICS_HOST is where METRICS_PORT listens: set both')
    return token === null ? null : { port: null, host: variableDefaults.METRICS_HOST, token }
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535)
    throw new BootError(`METRICS_PORT must be a port number, not ${port}`)
  if (token === null && host !== null && !isLoopbackHost(host))
    throw new BootError(
      'METRICS_HOST: off loopback /metrics is for those alone who have a token: set METRICS_TOKEN',
    )
  return { port: Number(port), host: host ?? variableDefaults.METRICS_HOST, token }
}
