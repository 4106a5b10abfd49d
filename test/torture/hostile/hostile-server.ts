/** The server of the load test, a process of its own: serves the folder of its first argument at the port of its second. Tells
 *  two access tokens, of the client that is measured and of the hostile one; answers `memory` with its resident bytes. */
import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { createApplication } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { surroundings } from '../../support/surroundings.ts'

const [folder = '', port = ''] = process.argv.slice(2)
const baseUrl = `http://localhost:${port}`
const secret = randomBytes(32).toString('hex')
const { server, store } = await createApplication(await loadBundle(folder), {
  ...surroundings(baseUrl, {
    jwtSecrets: [secret],
    logLevel: 'info',
    databaseUrl: `sqlite:${folder}/hostile.db`, // as in production: what is kept is no memory
  }),
  logStream: { write: () => {} },
})
await server.listen({ port: Number(port), host: '127.0.0.1' })
process.on('message', () => process.connected && process.send?.(process.memoryUsage.rss()))
process.on('disconnect', () => process.exit())
process.send?.([await tokenOf('test:measured'), await tokenOf('test:hostile')])

async function tokenOf(id: string): Promise<string> {
  await store.saveUser({ id, name: id, email: null })
  return new SignJWT({ typ: 'access', cid: 'test', scope: 'api', jti: randomBytes(16).toString('hex') })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(baseUrl)
    .setAudience(baseUrl)
    .setSubject(id)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(secret))
}
