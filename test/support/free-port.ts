/** Ports for tests that start, stop and start again on the same one. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port that was free a moment ago, below those that systems give to connections and to `listen(0)` (Linux: from 32768):
 *  no other test gets it by chance while its server is down. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
