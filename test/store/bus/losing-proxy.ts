/** A network between an instance and PostgreSQL that loses the answer to what was done, when it is told to. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface LosingProxy {
  readonly url: string
  /** The next notification is made, and the connection is cut before its sender learns of it. Resolves then. */
  loseNextAnswer(): Promise<void>
  close(): void
}

/** Stands before the server at `url`. */
export async function losingProxy(url: string): Promise<LosingProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let reported: (() => void) | null = null
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let isRequested = false
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}))
    client.on('data', (bytes) => {
      isRequested = reported !== null && bytes.includes('pg_notify')
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (!isRequested) return void client.write(bytes)
      client.destroy()
      reported?.()
      reported = null
    })
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const losing = new URL(url)
  losing.hostname = '127.0.0.1'
  losing.port = String(typeof address === 'object' && address !== null ? address.port : 0)
  return {
    url: losing.href,
    loseNextAnswer: () =>
      new Promise((resolve) => {
        reported = resolve
      }),
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
