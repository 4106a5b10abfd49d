/** The help desk as a server of the MCP benches, a process of its own: one ticket, and a client of its first admin. The argument is
 *  its folder. Tells its port and the token; answers `cpu` as `mcp-target` does. */
import { openTestApp } from '../../../runtime/testing.ts'

const [cwd = '.'] = process.argv.slice(2)
process.env.DESK_ADMINS = 'dev:developer'
const app = await openTestApp({
  cwd,
  change: (bundle) => {
    const config = bundle.config as object // what its app/config.ts says
    return { ...bundle, config: { ...config, limits: { toolCallsPerMinute: false } } }
  },
})
const token = await app.accessToken()
const client = app.client().withBearer(token)
const customer = { name: 'Ada', email: 'ada@example.org', organisation: null }
const { id } = (await client.json('/api/customers', customer)).json()
const ticket = {
  subject: 'A ticket of the bench',
  body: 'About a line of text.',
  tags: ['a', 'b'],
  customer: id,
}
const { statusCode } = await client.json('/api/tickets', ticket)
if (statusCode !== 201) throw new Error(`the ticket was answered with ${statusCode}`)
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.on('disconnect', () => process.exit())
const address = await app.application.server.listen({ port: 0, host: '127.0.0.1' })
process.send?.({ port: Number(new URL(address).port), token })
