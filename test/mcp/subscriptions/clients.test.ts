/** The SDK's client subscribes to resources, of one instance and of another. */
import { once } from 'node:events'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import t, { type Test } from 'tap'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { buildTrips } from '../prompts/trips.ts'

t.setTimeout(240_000) // a busy machine

const bundle = await buildTrips()
const postgres = await postgresOrNotice((text) => t.comment(text))

const ada = { id: 'dev:ada', name: 'ada', email: 'ada@localhost' }

interface Served {
  readonly app: TestApp
  readonly endpoint: URL
}

/** An instance of the application, which listens. */
async function served(t: Test, databaseUrl: string): Promise<Served> {
  const config = Object(bundle.config)
  const app = await openTestApp({
    environment: { databaseUrl },
    change: () => ({ ...bundle, config: { ...config, mcp: { ...config.mcp, authProbe: 'trips_me' } } }),
  })
  t.teardown(app.close)
  const address = await app.application.server.listen({ port: 0, host: '127.0.0.1' })
  return { app, endpoint: new URL(`http://localhost:${new URL(address).port}/mcp`) }
}

/** What a client is told, in the order in which it comes. */
class Listener {
  readonly client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  readonly reported: string[] = []
  readonly #events = new EventTarget()

  constructor() {
    this.client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
      this.#hear(params.uri),
    )
    this.client.setNotificationHandler('notifications/resources/list_changed', () => this.#hear('list'))
  }

  async connect(endpoint: URL, token: string): Promise<this> {
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    await this.client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit }))
    return this
  }

  async until(count: number): Promise<readonly string[]> {
    while (this.reported.length < count) await once(this.#events, 'told')
    return this.reported
  }

  #hear(what: string): void {
    this.reported.push(what)
    this.#events.dispatchEvent(new Event('told'))
  }
}

const addresses = ['sqlite::memory:', ...(postgres === null ? [] : [await postgres.freshDatabase()])]
for (const databaseUrl of addresses) {
  const isShared = databaseUrl.startsWith('postgres')
  const where = isShared ? 'at another instance' : 'at its instance'
  t.test(`a client is told of what changes ${where}, of what it may read alone`, async (t) => {
    const here = await served(t, databaseUrl)
    const there = isShared ? await served(t, databaseUrl) : here
    await here.app.client().signIn(ada)
    const tokenFor = async (scope: string): Promise<string> =>
      (await here.app.application.developmentToken(ada.id, scope)).accessToken
    const token = await tokenFor('trips:read')
    const reader = await new Listener().connect(there.endpoint, token)
    const planner = await new Listener().connect(there.endpoint, await tokenFor('trips:plan'))
    t.strictSame(reader.client.getServerCapabilities()?.resources, { subscribe: true, listChanged: true })
    const resourceSubscriptions = ['trips://7', 'trips://places', 'trips://7/unknown', 'other://1']
    const filter = { resourcesListChanged: true, resourceSubscriptions }
    const own = await reader.client.listen(filter)
    const other = await planner.client.listen(filter)
    t.strictSame(
      [own.honoredFilter, other.honoredFilter],
      [
        { resourcesListChanged: true, resourceSubscriptions: ['trips://7', 'trips://places'] },
        { resourcesListChanged: true, resourceSubscriptions: ['trips://places'] },
      ],
    )
    const { resourceChanged } = here.app.services
    for (const uri of ['trips://7', 'trips://8', 'trips://places']) resourceChanged(uri)
    t.strictSame(
      [await reader.until(2), await planner.until(1)],
      [['trips://7', 'trips://places'], ['trips://places']],
    )
    t.match(await reader.client.readResource({ uri: 'trips://7' }), { contents: [{ text: '{"id":7}' }] })
    for (let n = 0; n < 50; n += 1) resourceChanged('trips://7')
    const [, , again] = await reader.until(3)
    t.equal(again, 'trips://7')
    for (const [uri, error] of [
      ['trip://7', new RangeError('no resource has the address trip://7')],
      [
        `trips://${'7'.repeat(2041)}`,
        new RangeError('the address of a resource has 2049 characters, at most 2048 are possible'),
      ],
      [
        `trips://${'\0'.repeat(2000)}`,
        new RangeError('the address of a resource has 12010 bytes of JSON, at most 7000 are possible'),
      ],
    ] as const)
      t.throws(() => resourceChanged(uri), error)
    t.doesNotThrow(() => resourceChanged('/trips/7/photo'), 'it continues the base URL')
    const form = { token, client_id: 'acmcp-command-line' }
    t.equal((await here.app.client().submit('/oauth/revoke', form)).statusCode, 200)
    t.equal(await own.closed, 'remote', 'its token was revoked')
    const before = planner.reported.length
    resourceChanged('trips://places')
    t.equal((await planner.until(before + 1)).at(-1), 'trips://places', 'that of another lives on')
    const heard = reader.reported.length
    await there.app.close()
    t.strictSame([await other.closed, reader.reported.length], ['graceful', heard])
    for (const { client } of [reader, planner]) await client.close()
  })
}

t.teardown(() => postgres?.stop())
