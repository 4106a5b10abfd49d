/** One server of the audit's bench, a process of its own: the folder of the application, its store, and what is recorded (`off`,
 *  `batched`, `strict`). Tells its port and a token; answers with the processor time that it has used. */

import { openTestApp } from '../../../runtime/testing.ts'
import { wholeStore } from '../../support/whole-store.ts'
import { usedCpu } from './audit-cost.ts'

const [cwd = '', databaseUrl = '', mode = 'off'] = process.argv.slice(2)
const app = await openTestApp({
  cwd,
  environment: { databaseUrl, production: true, logLevel: 'silent' },
  change: ({ config, routes, ...bundle }) => ({
    ...bundle,
    config: { ...(config as object), audit: { enabled: mode !== 'off' } }, // defineApp's object
    routes: mode === 'strict' ? routes.map((route) => ({ ...route, audit: 'strict' as const })) : routes,
  }),
})
const token = await app.accessToken()
const { server, store } = app.application
process.on('message', () => process.send?.(usedCpu()))
process.on('disconnect', async () => {
  const [row] = await wholeStore(store).listAudit({ event: 'tool-call' }, 1)
  await app.close()
  if ((mode !== 'off') !== (row?.user === 'dev:developer' && row.clientName !== null))
    throw new Error(`${mode}: the last row is ${JSON.stringify(row)}`)
  process.exit()
})
const address = await server.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ port: Number(new URL(address).port), token })
