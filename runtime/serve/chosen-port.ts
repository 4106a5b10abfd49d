/** A port for `PORT=0`, chosen before anything is made of it: without `BASE_URL` the public address is that of the port, and stands in
 *  tokens, documents and pages from the first. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { listenHost, type Variables } from '../boot/environment.ts'

/** The variables, with a port that was free a moment ago in place of 0; with a `BASE_URL` as they are. */
export async function withChosenPort(env: Variables): Promise<Variables> {
  if (!/^0{1,5}$/.test(env.PORT ?? '') || env.BASE_URL) return env
  const port = await freePort(listenHost(env))
  return port === null ? env : { ...env, PORT: String(port) }
}

/** Null = nothing can listen there: the next attempt to listen says why. */
async function freePort(host: string): Promise<number | null> {
  const server = createServer().listen({ host, port: 0 })
  try {
    await once(server, 'listening')
    return (server.address() as AddressInfo).port // of no pipe
  } catch {
    return null
  } finally {
    server.close()
  }
}
