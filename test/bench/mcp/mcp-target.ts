/** One server of the MCP benches, a process of its own. Its argument is `bare` (`bareRoute`), a peer (`mcp-peers.ts`), or the
 *  folder of the application that is served, on a SQLite file and with the log at `error`, as in production; `log` after it turns the
 *  request log on, which goes nowhere, `unaudited` the audit off. Tells its port;
 *  answers `cpu` with the CPU time that it has used, in microseconds, and `heap` with the bytes in use after a collection. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApplication } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { surroundings } from '../../support/surroundings.ts'
import { bareRoute } from '../http/bare-route.ts'
import { isPeer, servePeer } from './mcp-peers.ts'

const [kind = 'bare', mode] = process.argv.slice(2)
const port = await serveKind(kind)
process.on('message', (requested) => {
  const { user, system } = process.cpuUsage()
  if (requested === 'heap') globalThis.gc?.()
  process.send?.(requested === 'heap' ? process.memoryUsage().heapUsed : user + system)
})
process.on('disconnect', () => process.exit())
process.send?.(port)

async function serveKind(kind: string): Promise<number> {
  if (isPeer(kind)) return servePeer(kind, bareRoute())
  if (kind !== 'bare') return serveApplication(kind)
  return portOf(await bareRoute().listen({ port: 0, host: '127.0.0.1' }))
}

async function serveApplication(folder: string): Promise<number> {
  const logLevel = mode === 'log' ? 'info' : 'error'
  const databaseUrl = `sqlite:${join(mkdtempSync(join(tmpdir(), 'acmcp-bench-')), 'store.db')}`
  const bundle = await loadBundle(folder)
  const config = { ...Object(bundle.config), ...(mode === 'unaudited' ? { audit: { enabled: false } } : {}) }
  const { server } = await createApplication(
    { ...bundle, config },
    {
      ...surroundings('http://127.0.0.1', { production: true, logLevel, databaseUrl }),
      logStream: { write: () => {} },
    },
  )
  return portOf(await server.listen({ port: 0, host: '127.0.0.1' }))
}

function portOf(address: string): number {
  return Number(new URL(address).port)
}
