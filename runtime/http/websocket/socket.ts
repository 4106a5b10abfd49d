/** The socket of a WebSocket route, as its action sees it. See
 *  templates/docs/streams-files-websockets.md. */
// Source: language.md, Method tags.

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
