/** The socket of a WebSocket route, from the transport to the action. Source: annotations.md, Method tags. */
import type { HttpRequest } from '../../contract/http.ts'

/** One WebSocket connection: what `ws` offers of it, in types of our own, so that applications need not install its
 *  types. A message arrives as bytes; `isBinary` says whether the client sent them as such. */
export interface Socket {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number
  /** Bytes that `send` has taken and the network has not. */
  readonly bufferedAmount: number
  readonly protocol: string
  send(data: string | Uint8Array, done?: (error?: Error) => void): void
  ping(data?: string | Uint8Array): void
  close(code?: number, reason?: string): void
  /** Ends the connection without the closing handshake. */
  terminate(): void
  on<Name extends keyof SocketEvents>(event: Name, listener: SocketEvents[Name]): unknown
  once<Name extends keyof SocketEvents>(event: Name, listener: SocketEvents[Name]): unknown
  off<Name extends keyof SocketEvents>(event: Name, listener: SocketEvents[Name]): unknown
}

export interface SocketEvents {
  message: (data: Buffer, isBinary: boolean) => void
  pong: (data: Buffer) => void
  close: (code: number, reason: Buffer) => void
  error: (error: Error) => void
}

/** Accepts the upgrade that a request asks for. */
export type Accept = () => Promise<Socket>

const upgrades = new WeakMap<HttpRequest, Accept>()
const sockets = new WeakMap<HttpRequest, Socket>()

/** Lets the route accept the upgrade when its filters have passed. */
export function offerUpgrade(request: HttpRequest, accept: Accept): void {
  upgrades.set(request, accept)
}

/** Accepts the upgrade, once. Throws when the request asks for none. */
export async function acceptUpgrade(request: HttpRequest): Promise<Socket> {
  const accept = upgrades.get(request)
  if (accept === undefined) throw new Error('the request asks for no upgrade')
  upgrades.delete(request)
  const socket = await accept()
  sockets.set(request, socket)
  return socket
}

/** The accepted socket, or null. */
export const socketOf = (request: HttpRequest): Socket | null => sockets.get(request) ?? null
