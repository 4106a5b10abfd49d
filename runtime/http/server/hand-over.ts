/** A connection that waits for its next request goes over to another process, unread: nothing that its client sends is lost, and no client
 *  sends while its connection is being closed. Node's own way for sockets (`send` of a `net.Socket`) reads on meanwhile, in the process
 *  between the two as well; libuv's handle alone is read by nobody. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A connection as libuv has it: what goes through the channel of two processes. */
export interface ConnectionHandle {
  close(): void
}

/** Resolves when the handle has left, or never will. */
export type SendConnection = (handle: ConnectionHandle) => Promise<void>

const handleOf = (socket: Socket): ConnectionHandle | null =>
  (socket as { readonly _handle?: ConnectionHandle | null })._handle ?? null // lib/net.js

/** Whether this Node has what goes to the other process. */
export const canGive = (socket: Socket): boolean => handleOf(socket) !== null

/** Gives a connection away that nothing is being read from or written to. */
export async function giveConnection(socket: Socket, send: SendConnection): Promise<void> {
  socket.pause() // of HTTP: reads no further byte
  const handle = handleOf(socket)
  if (handle !== null) await send(handle)
  socket.destroy() // closes this process's part of it alone
}

/** What the system calls when it has accepted a connection (lib/net.js, onconnection). */
interface ListeningHandle {
  onconnection?(status: 0, connection: ConnectionHandle): void
}

/** Serves a connection that another process gave away, as one that was accepted. */
export function takeConnection(server: Server, connection: ConnectionHandle): void {
  const { _handle: listening } = server as { readonly _handle?: ListeningHandle | null } // lib/net.js
  if (listening?.onconnection) listening.onconnection(0, connection)
  else connection.close() // it listens no more: nobody would end it
}
