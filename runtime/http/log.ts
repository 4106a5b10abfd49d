/** One line per request, without secrets. Source: specification, Security requirements (masking) and LogHandler. */
import type { FastifyInstance, FastifyServerOptions } from 'fastify'

export interface LogSettings {
  readonly level: string
  /** Names of query and form parameters whose whole value is masked. */
  readonly mask: readonly string[]
  /** Whether times are logged in milliseconds. */
  readonly ms: boolean
}

/** What the specification requires, and what else is a bearer. */
export const maskedByDefault: readonly string[] = [
  'code',
  'code_verifier',
  'refresh_token',
  'state',
  'access_token',
  'csrf_token',
  'client_secret',
  'token',
  'nonce',
  'id_token',
]

const filtered = '[FILTERED]'

/** pino's settings; request and response objects are never serialised. */
export function logOptions(settings: LogSettings): NonNullable<FastifyServerOptions['logger']> {
  return settings.level === 'silent' ? false : { level: settings.level, base: null }
}

/** Logs method, path with masked query, route, status and duration when a response has been sent. */
export function logRequests(app: FastifyInstance, settings: LogSettings): void {
  const names = new Set([...maskedByDefault, ...settings.mask])
  app.addHook('onResponse', async (request, reply) => {
    const location = reply.getHeader('location')
    request.log.info(
      {
        event: 'response',
        requestId: request.id,
        method: request.method,
        path: maskUrl(request.raw.url ?? '', names),
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ...(typeof location === 'string' ? { location: maskUrl(location, names) } : {}),
        ...(settings.ms ? { ms: Math.round(reply.elapsedTime * 1e4) / 1e4 } : {}),
      },
      'response',
    )
  })
}

/** The address with the whole value of every masked parameter replaced; names are compared decoded. */
export function maskUrl(url: string, names: ReadonlySet<string>): string {
  const mark = url.indexOf('?')
  if (mark === -1) return url
  const query = url
    .slice(mark + 1)
    .split('&')
    .map((pair) => {
      const [rawName = ''] = pair.split('=', 1)
      return names.has(decodeName(rawName)) ? `${rawName}=${filtered}` : pair
    })
  return `${url.slice(0, mark)}?${query.join('&')}`
}

function decodeName(raw: string): string {
  const name = new URLSearchParams(`${raw}=`).keys().next().value
  return name ?? raw
}
