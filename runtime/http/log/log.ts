/** One line per request, without secrets. */
// Source: rules.md, Security requirements.
import type { ServerResponse } from 'node:http'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
} from 'fastify'
import type { Logger } from '../../contract/store.ts'
import { decisionOn } from '../access/decision.ts'
import { injectedCall } from '../plugins/inject.ts'
import { knownRoute } from '../server/request-target.ts'
import { isBrokenOff } from '../server/send-stream.ts'
import { isQuiet } from './quiet-requests.ts'
import { maskedByDefault, redacted, redactText, redactUrl, secretHeaders } from './redact.ts'
import { redactErrorChain } from './redacted-error.ts'
import { spanFields, watchedOf } from './watched-requests.ts'

/** How a time stands in a line. */
export interface LogTimes {
  /** Whether it is a plain number of milliseconds with four decimals (`ms`) instead of a text (`duration`). */
  readonly ms: boolean
}

export interface LogSettings extends LogTimes {
  readonly level: string
  /** Names of query and form parameters whose whole value is masked. */
  readonly mask: readonly string[]
  /** What each line says besides. */
  readonly base?: Readonly<Record<string, number>>
  /** Where lines go; default: standard output. */
  readonly stream?: LogStream
}

export interface LogStream {
  write(line: string): void
}

interface PinoLogger extends FastifyBaseLogger {
  isLevelEnabled(level: string): boolean
}

const isSilent = ({ level }: LogSettings): boolean => level === 'silent'

const namesOf = (settings: LogSettings): ReadonlySet<string> =>
  new Set([...maskedByDefault, ...settings.mask])

/** pino's settings. What a plugin logs of a request loses its secrets too, and an error's text and trace are masked. */
export function logOptions(settings: LogSettings): NonNullable<FastifyServerOptions['logger']> {
  if (isSilent(settings)) return false
  const names = namesOf(settings)
  const places = ['headers', 'req.headers', 'res.headers']
  return {
    level: settings.level,
    base: settings.base ?? null,
    ...(settings.stream === undefined ? {} : { stream: settings.stream }),
    redact: {
      paths: places.flatMap((at) => secretHeaders.map((name) => `${at}["${name}"]`)),
      censor: redacted,
    },
    serializers: {
      req: (request: FastifyRequest) => ({
        method: request.method,
        url: redactUrl(request.url ?? '', names, request.params),
      }),
      err: (error: unknown) => ({ ...redactErrorChain(error, names) }),
      msg: (message: unknown) => (typeof message === 'string' ? redactText(message, names) : message),
    },
  }
}

/** Writes the line of a request; `status` as it was sent. */
export type LogLine = (request: FastifyRequest, reply: FastifyReply, status: number) => void

/** Takes what the line of an answer that stays open will say, so that nothing else need be kept; returns what writes it, or
 *  null when nothing is logged. */
export type DeferLogLine = (
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
) => (() => void) | null

export interface RequestLog {
  readonly write: LogLine
  readonly defer: DeferLogLine
}

/** Logs method, route, path with masked query, status, time and request id when an answer has been sent, and what a guard of scopes
 *  has decided. An injected call is part of another request, which has its own line. */
export function logRequests(app: FastifyInstance, settings: LogSettings): RequestLog {
  if (isSilent(settings)) return { write: () => {}, defer: () => null }
  const names = namesOf(settings)
  const write: LogLine = (request, reply, status) => {
    const level = isQuiet(request) ? 'debug' : 'info'
    if (!isWritten(request.log, level) || injectedCall(request.raw) !== null) return
    request.log[level](lineOf(request, reply, status), 'response')
  }
  const answered = (request: FastifyRequest, status: number | null): object => ({
    event: 'response',
    method: request.method,
    route: knownRoute(request.routeOptions.url),
    path: redactUrl(request.raw.url ?? '', names, request.params),
    status,
    ...decisionOn(request),
    ...spanFields(watchedOf(request)),
  })
  const lineOf = (request: FastifyRequest, reply: FastifyReply, status: number): object => {
    const location = reply.getHeader('location')
    return {
      ...answered(request, status),
      ...(typeof location === 'string' ? { location: redactUrl(location, names) } : {}),
      ...timeOf(reply.elapsedTime, settings),
    }
  }
  const defer: DeferLogLine = (request, reply, status) => {
    if (!isWritten(app.log, 'info')) return null
    const line = { requestId: request.id, ...answered(request, status) }
    return writeAtEnd(line, performance.now() - reply.elapsedTime)
  }
  // A function of its own: what it returns lives as long as the answer and must hold on to nothing else.
  const writeAtEnd = (line: object, startedAt: number) => (): void =>
    app.log.info({ ...line, ...timeOf(performance.now() - startedAt, settings) }, 'response')
  const written = new WeakSet<FastifyRequest>()
  app.addHook('onResponse', (request, reply, done) => {
    if (!written.has(request)) write(request, reply, reply.statusCode)
    done()
  })
  endWithoutAnswer(app, (request) => {
    const level = isQuiet(request) ? 'debug' : 'info'
    if (written.has(request) || !isWritten(request.log, level)) return
    written.add(request)
    if (injectedCall(request.raw) === null)
      request.log[level](
        { ...answered(request, sentStatus(request)), aborted: true },
        isBrokenOff(request) ? 'the answer broke off' : 'the client left',
      )
  })
  return { write, defer }
}

/** What has been sent of the answer to a request whose connection ends; null = nothing. Node ties the answer under way to its socket
 *  (lib/_http_server.js, assignSocket). */
function sentStatus({ raw }: FastifyRequest): number | null {
  const { _httpMessage: current }: { _httpMessage?: ServerResponse | null } = raw.socket as object
  return current?.req === raw && current.headersSent ? current.statusCode : null
}

/** Tells of requests whose client left before their answer was sent whole: Fastify has no other hook for these. */
function endWithoutAnswer(app: FastifyInstance, left: (request: FastifyRequest) => void): void {
  app.addHook('onRequestAbort', (request, done) => {
    left(request)
    done()
  })
}

/** A line that the level keeps out is not even made. */
const isWritten = (log: FastifyBaseLogger, level: 'debug' | 'info'): boolean =>
  (log as PinoLogger).isLevelEnabled(level) // `logOptions` asks for pino

/** `elapsed` (milliseconds) as a line has it. */
export const timeOf = (elapsed: number, { ms }: LogTimes): { ms: number } | { duration: string } =>
  ms ? { ms: Math.round(elapsed * 1e4) / 1e4 } : { duration: `${elapsed.toFixed(2)}ms` }

export interface LateLogger extends Logger {
  connect(target: Logger): void
}

/** Keeps its lines until it is connected: the endpoints are made before the server whose log they write to. */
export function lateLogger(): LateLogger {
  const early: [keyof Logger, Readonly<Record<string, unknown>>, string][] = []
  let target: Logger | null = null
  const write =
    (level: keyof Logger) =>
    (fields: Readonly<Record<string, unknown>>, message: string): void => {
      if (target === null) early.push([level, fields, message])
      else target[level](fields, message)
    }
  return {
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    connect: (to) => {
      target = to
      for (const [level, fields, message] of early.splice(0)) to[level](fields, message)
    },
  }
}
