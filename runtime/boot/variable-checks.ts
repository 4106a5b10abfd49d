/** What the values of variables must be: of secrets, of those of `/metrics`, of the delay of an end, which a supervisor reads that loads no
 *  other setting. Source: rules.md, Environment. Secrets are never repeated. */
import { isLoopbackHost } from '../loopback.ts'
import { BootError } from './boot-error.ts'
import { variableDefaults } from './variables.ts'

/** The settings that hold secrets, each with those that were given. */
export type NamedSecrets = Readonly<
  Record<'JWT_SECRET' | 'SESSION_SECRET' | 'METRICS_TOKEN', readonly string[]>
>

const exampleWords = /change.?me|replace.?(me|this)|secret|passw|example|default|sample|your.?(own|key|jwt)/i

/** What is wrong with them, a line each; of each secret the first defect. */
export function secretMistakes(secrets: NamedSecrets, production: boolean): readonly string[] {
  const mistakes = Object.entries(secrets).flatMap(([name, list]) =>
    list.flatMap((secret) => defectOf(secret, production) ?? []).map((defect) => `${name}: ${defect}`),
  )
  const { JWT_SECRET: jwt, SESSION_SECRET: session } = secrets
  const isShared = production && jwt.some((secret) => session.includes(secret))
  return [...new Set(mistakes), ...(isShared ? ['JWT_SECRET and SESSION_SECRET must differ'] : [])]
}

/** What is wrong with one; null = nothing. */
export function defectOf(secret: string, production: boolean): string | null {
  if (Buffer.byteLength(secret) < 32) return 'every secret needs at least 32 bytes'
  if (!production) return null
  if (new Set(secret).size < 8 || /^(.+?)\1+$/s.test(secret))
    return 'a secret that repeats a few characters is refused in production'
  return exampleWords.test(secret) ? 'an example secret is refused in production' : null
}

export interface MetricsSettings {
  /** A port of its own; null = the port of the application. */
  readonly port: number | null
  /** Where that port listens. */
  readonly host: string
  /** What a scraper must send; null = nothing, on a port of its own alone. */
  readonly token: string | null
}

/** `METRICS_PORT`, `METRICS_HOST` and `METRICS_TOKEN`: whether, where and to whom `/metrics` answers. Null without port and token: then nothing is measured for `/metrics`. Throws `BootError`. */
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

/** `SHUTDOWN_DELAY_SECONDS`; the whole of it is added to how long an end may take. Throws `BootError`. */
export function readShutdownDelay(variables: Readonly<Record<string, string | undefined>>): number {
  const text = variables.SHUTDOWN_DELAY_SECONDS || variableDefaults.SHUTDOWN_DELAY_SECONDS
  const seconds = Number(text)
  if (/^\d+$/.test(text) && seconds <= maxShutdownDelaySeconds) return seconds
  throw new BootError(
    `SHUTDOWN_DELAY_SECONDS must be a whole number of seconds, at most ${maxShutdownDelaySeconds}, not ${text}`,
  )
}

const maxShutdownDelaySeconds = 600
