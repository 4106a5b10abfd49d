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
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', (done) => {
    closing.isClosing = true
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    done()
  })
  return closing
}
