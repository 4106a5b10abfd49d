/** One server of the audit's bench, a process of its own: the folder of the application, its store, and what is recorded (`off`,
 *  `batched`, `strict`). Tells its port; answers with the CPU time that it has used, in microseconds. */
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { createApplication } from '../../../runtime/boot/compose.ts'
import { surroundings } from '../../support/surroundings.ts'

const [folder = '', databaseUrl = '', mode = 'off'] = process.argv.slice(2)
const bundle = await loadBundle(folder)
const config = { ...(bundle.config as object), audit: { enabled: mode !== 'off' } } // defineApp's object
const routes =
  mode === 'strict' ? bundle.routes.map((route) => ({ ...route, audit: 'strict' as const })) : bundle.routes
const { environment, ...rest } = surroundings('http://127.0.0.1', { production: true, logLevel: 'silent' })
const { server } = await createApplication(
  { ...bundle, config, routes },
  { ...rest, environment: { ...environment, databaseUrl }, migrate: true, logStream: { write: () => {} } },
)
const address = await server.listen({ port: 0, host: '127.0.0.1' })
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.on('disconnect', () => process.exit())
process.send?.(Number(new URL(address).port))
