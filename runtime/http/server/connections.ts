/** The open connections of a server, of which those that wait for a request are ended. */
import { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface Connections {
  /** Ends those that wait between two requests; none while an answer is being sent, which Node would cut off when all of it has been made. */
  endIdle(): void
  /** Ends those that have sent nothing yet. */
  endUnused(): void
}

/** Watches a server from its beginning. From now on its `closeIdleConnections`, which Node calls at its end, does nothing. */
export function trackConnections(server: Server): Connections {
  const open = new Set<Socket>()
  let sweepAt = sweepAbove
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    if (open.size > sweepAt) sweepAt = 2 * sweep(open) + sweepAbove
  })
  server.closeIdleConnections = () => {}
  return {
    endIdle() {
      const isSending = [...open].some(({ destroyed, writableLength }) => !destroyed && writableLength > 0)
      if (!isSending) Server.prototype.closeIdleConnections.call(server)
    },
    endUnused() {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    },
  }
}

const sweepAbove = 32

/** Removes what has ended, now and then: a listener on every connection would cost each of them as long as it is open. */
function sweep(open: Set<Socket>): number {
  for (const socket of open) if (socket.destroyed) open.delete(socket)
  return open.size
}
