/** A load balancer as simple as one can be: HTTP, round robin, a connection for each request. It leaves out an instance whose readiness
 *  address does not say 200, and asks the next one only when a connection is refused, when nothing was sent. Everything else that goes
 *  wrong is passed on, and written down. */
import { once } from 'node:events'
import {
  type ClientRequest,
  createServer,
  get,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { buffer } from 'node:stream/consumers'

/** A request that it has passed on, and what became of it. Times are `performance.now()`. */
export interface Exchange {
  readonly instance: number
  readonly method: string
  readonly path: string
  readonly began: number
  readonly ended: number
  /** Null = the connection ended before an answer. */
  readonly status: number | null
  /** Whether all of the answer came. */
  readonly isWhole: boolean
  readonly retryAfter: string | null
  readonly isStream: boolean
  /** The version that answered, as it says. */
  readonly version: string | null
}

export interface Balancer {
  readonly baseUrl: string
  /** In the order in which they ended. */
  readonly exchanges: readonly Exchange[]
  /** Resolves when it has passed on so many. */
  reached(count: number): Promise<void>
  /** Those that have no answer yet, by instance. */
  inFlight(instance: number): number
  /** Where the instances are. */
  serve(ports: readonly number[]): void
  close(): Promise<void>
}

const lookEveryMs = 100

/** `readiness` is a path, or null: then no instance is left out. */
export async function startBalancer(port: number, readiness: string | null): Promise<Balancer> {
  let ports: readonly number[] = []
  let turn = 0
  const isReady = new Map<number, boolean>()
  const exchanges: Exchange[] = []
  const waiting = new Map<number, number>()
  let watched: { readonly count: number; readonly resolve: () => void }[] = []
  const write = (exchange: Exchange): void => {
    const total = exchanges.push(exchange)
    for (const { count, resolve } of watched) if (count <= total) resolve()
    watched = watched.filter(({ count }) => count > total)
  }
  const count = (instance: number, by: number): void =>
    void waiting.set(instance, (waiting.get(instance) ?? 0) + by)
  const looking = setInterval(() => {
    if (readiness !== null)
      for (const item of ports) look(item, readiness, (answer) => isReady.set(item, answer))
  }, lookEveryMs)
  const order = (): readonly number[] => {
    turn += 1
    const all = ports.map((_, at) => (turn + at) % ports.length)
    const ready = all.filter((at) => isReady.get(ports[at] ?? 0) !== false)
    return ready.length > 0 ? ready : all
  }
  const server = createServer(async (incoming, answer) => {
    const body = await buffer(incoming).catch(() => null)
    if (body === null) return
    const began = performance.now()
    const ask = (instances: readonly number[]): void => {
      const [instance = 0, ...others] = instances
      count(instance, 1)
      const ended = (outcome: Outcome): void => {
        count(instance, -1)
        if (outcome.isRefused && others.length > 0) {
          ask(others)
          return
        }
        const { method = '', url = '' } = incoming
        const { isRefused: _, ...seen } = outcome
        write({ instance, method, path: url.split('?')[0] ?? '', began, ended: performance.now(), ...seen })
        if (outcome.status === null) answer.destroy()
      }
      pass(ports[instance] ?? 0, { incoming, body, answer }, ended)
    }
    ask(order())
  })
  server.keepAliveTimeout = 60_000
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://localhost:${port}`,
    exchanges,
    reached: (wanted) =>
      new Promise((resolve) => {
        if (exchanges.length >= wanted) resolve()
        else watched.push({ count: wanted, resolve })
      }),
    inFlight: (instance) => waiting.get(instance) ?? 0,
    serve: (at) => {
      ports = at
    },
    async close() {
      clearInterval(looking)
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Outcome = Pick<Exchange, 'status' | 'isWhole' | 'retryAfter' | 'isStream' | 'version'> & {
  readonly isRefused: boolean
}

const noAnswer: Outcome = {
  status: null,
  isWhole: false,
  retryAfter: null,
  isStream: false,
  version: null,
  isRefused: false,
}

interface Passing {
  readonly incoming: IncomingMessage
  readonly body: Buffer
  readonly answer: ServerResponse
}

function pass(port: number, { incoming, body, answer }: Passing, ended: (outcome: Outcome) => void): void {
  const { method, url, rawHeaders } = incoming
  const options = {
    host: '127.0.0.1',
    port,
    method,
    path: url,
    headers: withoutConnection(rawHeaders),
    agent: false,
  }
  let isOver = false
  const end = (outcome: Outcome): void => {
    if (isOver) return
    isOver = true
    ended(outcome)
  }
  const passed: ClientRequest = request(options, (reply) => {
    const seen = seenIn(reply)
    answer.writeHead(reply.statusCode ?? 502, withoutConnection(reply.rawHeaders))
    answer.flushHeaders()
    reply.pipe(answer)
    reply.on('close', () => {
      end({ ...seen, isWhole: reply.complete || answer.destroyed }) // or the client went away
      if (!reply.complete) answer.destroy()
    })
  })
  passed.on('error', (error) =>
    end({ ...noAnswer, isRefused: 'code' in error && error.code === 'ECONNREFUSED' }),
  )
  answer.on('close', () => {
    if (!answer.writableFinished) {
      end({ ...noAnswer, status: 499, isWhole: true }) // as nginx writes down a client that went away
      passed.destroy()
    }
  })
  passed.end(body)
}

function seenIn(reply: IncomingMessage): Outcome {
  const {
    'retry-after': retryAfter = null,
    'content-type': type = '',
    'x-served-by': version,
  } = reply.headers
  const isStream = type.startsWith('text/event-stream')
  return {
    ...noAnswer,
    status: reply.statusCode ?? null,
    retryAfter,
    isStream,
    version: version === undefined ? null : String(version),
  }
}

/** Headers of one connection are no business of the next. Source: RFC 9110, 7.6.1. */
function withoutConnection(raw: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2)
    if (!/^(connection|keep-alive|transfer-encoding)$/i.test(raw[at] ?? ''))
      kept.push(raw[at] ?? '', raw[at + 1] ?? '')
  return kept
}

/** Tells whether the instance at a port says that it is ready. */
function look(port: number, path: string, reported: (isReady: boolean) => void): void {
  const requested = get({ host: '127.0.0.1', port, path, agent: false, timeout: 1000 }, (reply) => {
    reply.resume()
    reported(reply.statusCode === 200)
  })
  requested.on('timeout', () => requested.destroy())
  requested.on('error', () => reported(false))
}
