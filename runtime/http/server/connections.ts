/** The open connections of a server, of which those that wait for a request are ended or given to another process. */
import { Server } from 'node:http'
import type { Socket } from 'node:net'
import { canGive, giveConnection, type SendConnection } from './hand-over.ts'

export interface Connections {
  /** From now on those that wait for a request are given away where they would be ended, at first those of this moment. Returns whether all
   *  of these could be. */
  giveTo(send: SendConnection): boolean
  /** Ends those that have sent nothing yet. */
  endUnused(): void
}

/** Watches a server from its beginning. From now on its `closeIdleConnections` lets answers leave that have been made and not sent: Node
 *  would cut them off. */
export function trackConnections(server: Server): Connections {
  const open = new Set<Socket>()
  const leaving = new WeakSet<Socket>()
  let send: SendConnection | null = null
  let sweepAt = sweepAbove
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    if (open.size > sweepAt) sweepAt = 2 * sweep(open) + sweepAbove
  })
  const stays = (socket: Socket): boolean =>
    leaving.has(socket) || socket.destroyed || socket.writableLength > 0
  const release = (socket: Socket): void => {
    if (stays(socket)) return
    if (send === null) return void socket.destroy()
    leaving.add(socket)
    void giveConnection(socket, send)
  }
  const unused = (): readonly Socket[] => [...open].filter(({ bytesRead }) => bytesRead === 0)
  server.closeIdleConnections = () => idleOf(server, open).forEach(release)
  return {
    giveTo(to) {
      send = to
      const waiting = [...idleOf(server, open), ...unused()]
      waiting.filter(canGive).forEach(release)
      return waiting.every(canGive)
    },
    endUnused: () => unused().forEach(release),
  }
}

const sweepAbove = 32

/** Removes what has ended, now and then: a listener on every connection would cost each of them as long as it is open. */
function sweep(open: Set<Socket>): number {
  for (const socket of open) if (socket.destroyed) open.delete(socket)
  return open.size
}

/** Node alone knows from whom half a request has come: those are idle that it would end. */
function idleOf(server: Server, open: ReadonlySet<Socket>): readonly Socket[] {
  const idle: Socket[] = []
  for (const socket of open)
    socket.destroy = () => {
      idle.push(socket)
      return socket
    }
  Server.prototype.closeIdleConnections.call(server)
  for (const socket of open) Reflect.deleteProperty(socket, 'destroy')
  return idle
}
