/** Stands before PostgreSQL: as a pooler that the bus must not use, which passes everything on but for notifications, or to see
 *  who connects. Source: PostgreSQL, Message Formats. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Proxy {
  readonly url: string
  /** The server itself. */
  readonly behind: string
  /** Resolves when so many more connections have been made. */
  connections(count: number): Promise<void>
  close(): void
}

const notification = 'A'.charCodeAt(0)

/** Passes everything on but for notifications. */
export const deafProxy = (url: string): Promise<Proxy> => proxied(url, withoutNotifications)

/** Passes everything on. */
export const openProxy = (url: string): Promise<Proxy> => proxied(url, (write) => write)

type Filter = (write: (bytes: Buffer) => void) => (chunk: Buffer) => void

/** Stands before the server at `url`. */
async function proxied(url: string, filter: Filter): Promise<Proxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}))
    client.pipe(upstream)
    const pass = filter((bytes) => void client.write(bytes))
    upstream.on('data', pass).on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const deaf = new URL(url)
  deaf.hostname = '127.0.0.1'
  deaf.port = String(typeof address === 'object' && address !== null ? address.port : 0)
  return {
    url: deaf.href,
    behind: url,
    async connections(count) {
      for (let made = 0; made < count; made += 1) await once(server, 'connection')
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** A message of the server is a letter, its length without the letter, and what it says. */
function withoutNotifications(write: (bytes: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length >= 1 + rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1)
      if (rest[0] !== notification) write(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}
