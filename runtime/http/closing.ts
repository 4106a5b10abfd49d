/** A graceful end: answers under way are sent, and no connection outlives them. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

export interface Closing {
  isClosing: boolean
}

/** Says from when on every answer is the last of its connection. Node itself ends connections that wait between two
 *  requests; those that never sent a byte (a browser's spare ones) are ended here. */
export function watchClosing(app: FastifyInstance): Closing {
  const closing: Closing = { isClosing: false }
  const silent = new Set<Socket>()
  let sweepAt = sweepAbove
  app.server.on('connection', (socket: Socket) => {
    silent.add(socket)
    if (silent.size > sweepAt) sweepAt = 2 * sizeWithoutHeard(silent) + sweepAbove
  })
  app.addHook('preClose', (done) => {
    closing.isClosing = true
    for (const socket of silent) if (socket.bytesRead === 0) socket.destroy()
    done()
  })
  return closing
}

const sweepAbove = 32

/** Removes who has sent something or is gone. Swept now and then: a listener on every connection would cost each of them as
 *  long as it is open. */
function sizeWithoutHeard(silent: Set<Socket>): number {
  for (const socket of silent) if (socket.bytesRead > 0 || socket.destroyed) silent.delete(socket)
  return silent.size
}
