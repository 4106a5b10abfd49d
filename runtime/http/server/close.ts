/** A graceful end: answers under way are sent, event streams end in order at once, and no connection outlives them. */
import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { trackConnections } from './connections.ts'

export interface Closing {
  /** From now on every answer is the last of its connection. */
  readonly isClosing: boolean
  /** Makes it so. Connections that wait for a request may do so for `lingerMs` more, though it begins meanwhile. */
  drain(lingerMs: number): void
  /** Begins: streams are told at once, requests that still run so much later than it was closing (default: two seconds). Connections that
   *  wait between two requests end. */
  begin(patienceMs?: number): void
  /** Tells requests two seconds from now at the latest, and ends connections that wait. */
  hurry(): void
  /** Calls `end` when it begins, at once when it has; returns how to stop that. */
  whenBegun(end: () => void): () => void
  /** Calls `gone` when requests are told, at once when they have been; returns how to stop that. */
  whenImpatient(gone: () => void): () => void
}

/** How long requests may run on before they are told to stop, in milliseconds. */
export const requestPatienceMs = 2000

/** How long the first byte of a connection may take when it closes, in milliseconds. */
export const firstByteMs = 500

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
  /** For the next request on connections that are kept, in milliseconds. */
  readonly lingerMs: number
  /** Whether another process serves in its place: then nothing else waits for connections that are kept. */
  readonly hasSuccessor: boolean
  /** Is told when it takes no further connection. */
  readonly closed?: () => void
}

/** Servers that are about to end. */
const draining = new WeakSet<Server>()

/** Whether nothing more should be sent to it. */
export const isDraining = ({ server }: FastifyInstance): boolean =>
  draining.has(server) || closings.get(server)?.isClosing === true

/** The server takes no further connection. Those that it has have one answer more, so that no client sends its next request while its
 *  connection is being closed. Resolves when none is left, or those that wait have waited long enough; with a successor at once. */
export async function drainConnections(
  { server }: FastifyInstance,
  { delayMs, lingerMs, hasSuccessor, closed }: DrainWaits,
): Promise<void> {
  draining.add(server)
  if (delayMs > 0) await after(delayMs)
  NetServer.prototype.close.call(server) // that of http.Server closes what is idle
  closings.get(server)?.drain(lingerMs)
  closed?.()
  if (hasSuccessor) return
  const deadline = performance.now() + lingerMs
  while (performance.now() < deadline && (await openConnections(server)) > 0) await after(lookMs)
}

const openConnections = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.getConnections((_error, count) => resolve(count))
  })

/** Begins the end of a server: requests that run are told after `patienceMs`, and cut off five seconds later. Returns what says that none
 *  is left. */
export function beginClosing({ server }: FastifyInstance, patienceMs: number): () => void {
  closings.get(server)?.begin(patienceMs)
  const force = setTimeout(() => server.closeAllConnections(), patienceMs + noticeMs).unref()
  return () => clearTimeout(force)
}

/** How long a client that is busy may take until it sends again, and is told that it was the last time, in milliseconds. */
export const lingerMs = 1_000

/** How long a request may take after it was told, in milliseconds. */
const noticeMs = 5_000

/** What has begun to close waits for requests no longer than if it began by default now: some of them have only just come. */
export function hurryClosing({ server }: FastifyInstance): void {
  closings.get(server)?.hurry()
  setTimeout(() => server.closeAllConnections(), requestPatienceMs + noticeMs).unref()
}

/** Watches the instance. Node itself ends connections that wait between two requests once only, at the beginning: they are ended here, with
 *  those whose answer had begun before, and those that sent no byte for half a second more (a browser's spare ones): before that, a request
 *  may be on its way. */
export function watchClosing(app: FastifyInstance): Closing {
  const connections = trackConnections(app.server)
  let ending: NodeJS.Timeout | undefined
  const closing = createClosing(() => {
    if (ending !== undefined) return
    connections.endIdle()
    ending = setInterval(connections.endIdle, answeredMs).unref()
    setTimeout(connections.endUnused, firstByteMs).unref()
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

function createClosing(endIdle: () => void): Closing {
  const atOnce = calls()
  const later = calls()
  let closingSince: number | null = null
  let lingersUntil = 0
  let hasBegun = false
  const drain = (): number => {
    closingSince ??= performance.now()
    return closingSince
  }
  return {
    get isClosing() {
      return closingSince !== null
    },
    drain(lingerMs) {
      lingersUntil = drain() + lingerMs
    },
    begin(patienceMs = requestPatienceMs) {
      if (hasBegun) return
      hasBegun = true
      const leftMs = patienceMs - (performance.now() - drain())
      atOnce.call()
      const lingerMs = lingersUntil - performance.now()
      if (lingerMs > 0) setTimeout(endIdle, lingerMs).unref()
      else endIdle()
      setTimeout(later.call, leftMs).unref()
    },
    hurry() {
      endIdle()
      setTimeout(later.call, requestPatienceMs).unref()
    },
    whenBegun: atOnce.add,
    whenImpatient: later.add,
  }
}

interface Calls {
  readonly add: (item: () => void) => () => void
  readonly call: () => void
}

/** Functions that are all called once, those that come later at once. */
function calls(): Calls {
  const waiting = new Set<() => void>()
  let isCalled = false
  return {
    add(item) {
      if (isCalled) item()
      else waiting.add(item)
      return () => void waiting.delete(item)
    },
    call() {
      isCalled = true
      for (const item of waiting) item()
      waiting.clear()
    },
  }
}
