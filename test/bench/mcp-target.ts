/** One server of `npm run bench:mcp`, a process of its own. `bare` is `bareRoute`,
 *  `sdk-v1` and `sdk-v2` are peers; else the argument is the folder of the application that is served. Tells its port; answers `cpu` with the CPU
 *  time that it has used, in microseconds, and `heap` with the bytes in use after a collection. */
import { randomBytes } from 'node:crypto'
import { createApplication } from '../../runtime/application.ts'
import { loadBundle } from '../../runtime/bundle.ts'
import { bareRoute } from './bare-route.ts'
import { isPeer, servePeer } from './mcp-peers.ts'

const [kind = 'bare'] = process.argv.slice(2)
const port = await serveKind(kind)
process.on('message', (asked) => {
  const { user, system } = process.cpuUsage()
  if (asked === 'heap') globalThis.gc?.()
  process.send?.(asked === 'heap' ? process.memoryUsage().heapUsed : user + system)
})
process.on('disconnect', () => process.exit())
process.send?.(port)

async function serveKind(kind: string): Promise<number> {
  if (isPeer(kind)) return servePeer(kind, bareRoute())
  if (kind !== 'bare') return serveApplication(kind)
  return portOf(await bareRoute().listen({ port: 0, host: '127.0.0.1' }))
}

async function serveApplication(folder: string): Promise<number> {
  const { server } = await createApplication(await loadBundle(folder), {
    environment: {
      production: true,
      host: '127.0.0.1',
      port: 0,
      baseUrl: 'http://127.0.0.1',
      databaseUrl: 'sqlite::memory:',
      jwtPrivateKeys: [],
      jwtSecrets: [randomBytes(32).toString('hex')],
      sessionSecrets: [randomBytes(32).toString('hex')],
      devLogin: false,
      logLevel: 'silent',
    },
    migrate: true,
    clock: () => Date.now(),
    randomBytes: (bytes) => randomBytes(bytes),
  })
  return portOf(await server.listen({ port: 0, host: '127.0.0.1' }))
}

function portOf(address: string): number {
  return Number(new URL(address).port)
}
