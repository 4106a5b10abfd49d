/** A yardstick whose routes Fastify plugins cover: its tool calls are requests of their own, which pass the hooks. */
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { freePort } from '../../support/free-port.ts'
import { emptied, people, type Served, scopeOf } from './served.ts'
import type { Person } from './walked.ts'
import type { Yardstick } from './yardsticks.ts'

export interface Covered extends Served {
  /** What the hook saw, as `VERB /path`. */
  readonly hooked: string[]
}

/** In this process, in a database of its own, on a real socket. */
export async function behindPlugins(
  t: { teardown(clean: () => unknown): void },
  yardstick: Yardstick,
): Promise<Covered> {
  const hooked: string[] = []
  const covering: AppPlugin = async (app) => {
    app.addHook('onRequest', async ({ method, url }) => void hooked.push(`${method} ${url}`))
    app.addHook('onSend', async (_request, reply, payload) => {
      reply.header('x-covered', 'yes')
      return payload
    })
  }
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const app = await openTestApp({
    cwd: yardstick.folder,
    environment: { port, baseUrl },
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), plugins: [covering] } }), // what defineApp returned
  })
  t.teardown(app.close)
  await app.application.server.listen({ port, host: 'localhost' })
  const tokens: Record<Person, string | null> = { ada: null, eve: null, ben: null, root: null, nobody: null }
  for (const name of people) {
    const user = { id: `dev:${name}`, name, email: `${name}@localhost` }
    tokens[name] = await app.accessToken(user, { scope: scopeOf(yardstick, name) })
  }
  const reset = (): Promise<void> => emptied(app.application.store.database, yardstick.tables)
  return { baseUrl, tokens, reset, hooked }
}
