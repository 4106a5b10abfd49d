/** A graceful end: answers under way are sent, event streams end in order at once, and no connection outlives them. */
import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'

export interface Closing {
  /** From now on every answer is the last of its connection. */
  readonly isClosing: boolean
  /** Makes it so, and nothing else. */
  drain(): void
  /** Begins: streams are told at once, requests that still run so much later than it was closing (default: two seconds). With `keepsIdle`
   *  connections that wait between two requests have one answer more until then; otherwise they end at once. */
  begin(patienceMs?: number, keepsIdle?: boolean): void
  /** Ends connections that wait a second from now at the latest, and tells requests a second later. */
  hurry(): void
  /** Calls `end` when it begins, at once when it has; returns how to stop that. */
  whenBegun(end: () => void): () => void
  /** Calls `gone` when requests are told, at once when they have been; returns how to stop that. */
  whenImpatient(gone: () => void): () => void
}

/** How long requests may run on before they are told to stop, in milliseconds. */
export const requestPatienceMs = 2000

/** How long the first byte of a connection may take when it closes, in milliseconds. */
const firstByteMs = 500

/** How often connections that have had their answer are ended when it closes, in milliseconds. */
const answeredMs = 50

/** By server, for what knows only the reply. */
const closings = new WeakMap<Server, Closing>()

/** That of the server which a reply belongs to. */
export const closingOf = (reply: FastifyReply): Closing | null => closings.get(reply.server.server) ?? null

/** How often it is looked whether connections are left, in milliseconds. */
const lookMs = 20

export interface DrainWaits {
  /** Between no longer being ready, which a load balancer asks, and taking no further connection, in milliseconds. */
  readonly delayMs: number
  /** For the next request on connections that are kept, in milliseconds; null = they wait on: `beginClosing` says how long. */
  readonly lingerMs: number | null
  /** Is told when it takes no further connection. */
  readonly closed?: () => void
}

/** Servers that are about to end. */
const draining = new WeakSet<Server>()

/** Whether nothing more should be sent to it. */
export const isDraining = ({ server }: FastifyInstance): boolean =>
  draining.has(server) || closings.get(server)?.isClosing === true

/** The server takes no further connection. Those that are open have one answer more, so that no client sends its next request while its
 *  connection is being closed. Resolves when none is left, or when those that still wait have been closed. */
export async function drainConnections(
  { server }: FastifyInstance,
  { delayMs, lingerMs, closed }: DrainWaits,
): Promise<void> {
  draining.add(server)
  if (delayMs > 0) await after(delayMs)
  closings.get(server)?.drain()
  NetServer.prototype.close.call(server) // that of http.Server closes what is idle
  closed?.()
  if (lingerMs === null) return
  const deadline = performance.now() + lingerMs
  while (performance.now() < deadline && (await openConnections(server)) > 0) await after(lookMs)
  server.closeIdleConnections()
}

const openConnections = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.getConnections((_error, count) => resolve(count))
  })

/** Begins the end of a server: requests that run are told after `patienceMs`, and cut off five seconds later. With `keepsIdle` connections
 *  that wait for their next request are kept as long, for one answer more. Returns what says that none is left. */
export function beginClosing(
  { server }: FastifyInstance,
  patienceMs: number,
  keepsIdle: boolean,
): () => void {
  closings.get(server)?.begin(patienceMs, keepsIdle)
  const force = setTimeout(() => server.closeAllConnections(), patienceMs + toldMs).unref()
  return () => clearTimeout(force)
}

/** How long a client that is busy may take until it sends again, and is told that it was the last time, in milliseconds. */
export const lingerMs = 1_000

/** How long a request may take after it was told, in milliseconds. */
const toldMs = 5_000

/** What has begun to close waits for requests no longer than if it began by default now: some of them have only just come. */
export function hurryClosing({ server }: FastifyInstance): void {
  closings.get(server)?.hurry()
  setTimeout(() => server.closeAllConnections(), requestPatienceMs + toldMs).unref()
}

/** Watches the instance. Node itself ends connections that wait between two requests, but once only, and at once: those that are kept are
 *  ended here, those whose answer had begun before, and those that sent no byte for half a second more (a browser's spare ones): before
 *  that, a request may be on its way. */
export function trackIdleSockets(app: FastifyInstance): Closing {
  const idle = new Set<Socket>()
  let sweepAt = sweepAbove
  app.server.on('connection', (socket: Socket) => {
    idle.add(socket)
    if (idle.size > sweepAt) sweepAt = 2 * sweep(idle) + sweepAbove
  })
  let ending: NodeJS.Timeout | undefined
  const keepIdle = (): void => {
    app.server.closeIdleConnections = () => {} // Node calls it when the server closes
  }
  const closing = createClosing(keepIdle, () => {
    Reflect.deleteProperty(app.server, 'closeIdleConnections')
    app.server.closeIdleConnections()
    ending = setInterval(() => app.server.closeIdleConnections(), answeredMs).unref()
    const endIdle = (): void => {
      for (const socket of idle) if (socket.bytesRead === 0) socket.destroy()
    }
    setTimeout(endIdle, firstByteMs).unref()
  })
  app.addHook('preClose', (done) => {
    closing.begin()
    done()
  })
  app.addHook('onClose', (_app, done) => {
    clearInterval(ending)
    done()
  })
  closings.set(app.server, closing)
  return closing
}

function createClosing(keepIdle: () => void, endIdle: () => void): Closing {
  const atOnce = calls()
  const later = calls()
  const idle = calls()
  let closingSince: number | null = null
  let hasBegun = false
  const drain = (): number => {
    closingSince ??= performance.now()
    return closingSince
  }
  return {
    get isClosing() {
      return closingSince !== null
    },
    drain,
    begin(patienceMs = requestPatienceMs, keepsIdle = false) {
      if (hasBegun) return
      hasBegun = true
      const leftMs = patienceMs - (performance.now() - drain())
      if (keepsIdle) keepIdle()
      idle.add(endIdle)
      atOnce.call()
      if (keepsIdle) setTimeout(idle.call, leftMs).unref()
      else idle.call()
      setTimeout(later.call, leftMs).unref()
    },
    hurry() {
      setTimeout(idle.call, lingerMs).unref()
      setTimeout(later.call, requestPatienceMs).unref()
    },
    whenBegun: atOnce.add,
    whenImpatient: later.add,
  }
}

interface Calls {
  readonly add: (one: () => void) => () => void
  readonly call: () => void
}

/** Functions that are all called once, those that come later at once. */
function calls(): Calls {
  const waiting = new Set<() => void>()
  let isCalled = false
  return {
    add(one) {
      if (isCalled) one()
      else waiting.add(one)
      return () => void waiting.delete(one)
    },
    call() {
      isCalled = true
      for (const one of waiting) one()
      waiting.clear()
    },
  }
}

const sweepAbove = 32

/** Removes who has sent something or is gone. Swept now and then: a listener on every connection would cost each of them as
 *  long as it is open. */
function sweep(idle: Set<Socket>): number {
  for (const socket of idle) if (socket.bytesRead > 0 || socket.destroyed) idle.delete(socket)
  return idle.size
}
