/** A route that is a resource has an entity tag, over HTTP and MCP the same. Source: RFC 9110, 8.8 and 13. */
import t from 'tap'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import { openGuarded } from '../support/guarded.ts'
import { ask, buildTrips } from './trips.ts'

t.setTimeout(240_000) // a busy machine

const bundle = await buildTrips()
const plugin: AppPlugin = async (app) => {
  app.addHook('onRequest', (_request, _reply, done) => done())
}

for (const plugins of [[], [plugin]])
  t.test(`resources are revalidated over HTTP, with ${plugins.length} plugins`, async (t) => {
    const { app, tokenOf } = await openGuarded(t, bundle, {
      config: { mcp: { authProbe: 'trips_me' }, plugins },
    })
    const client = app.client().withBearer(await tokenOf('trips:read'))
    const get = async (
      url: string,
      headers: Readonly<Record<string, string>> = {},
      method: 'GET' | 'HEAD' = 'GET',
    ) => {
      const answer = await client.request({ method, url, headers })
      const { etag, 'content-type': type, 'cache-control': cache } = answer.headers
      return { status: answer.statusCode, etag, type, cache, body: answer.body }
    }
    const requested = (tags: string) => ({ 'if-none-match': tags })
    const json = 'application/json; charset=utf-8'
    const etag = 'W/"o8kOO3RI0j2erOvQ6_Fcrh"'
    const whole = { status: 200, etag, type: json, cache: 'no-store', body: '{"id":7}' }
    const none = { status: 304, etag, type: undefined, cache: undefined, body: '' }
    t.strictSame(await get('/trips/7'), whole)
    t.strictSame(await get('/trips/7', {}, 'HEAD'), { ...whole, body: '' })
    for (const tags of [etag, `"a,b", ${etag}`, etag.slice(2), '*']) {
      t.strictSame(await get('/trips/7', requested(tags)), none, tags)
      t.strictSame(await get('/trips/7', requested(tags), 'HEAD'), none, tags)
    }
    for (const tags of ['"another"', 'o8kOO3RI0j2erOvQ6_Fcrh', '', 'W/"o8kOO3RI0j2erOvQ6_Fcrh'])
      t.strictSame(await get('/trips/7', requested(tags)), whole, tags)
    const yaml = await get('/trips/7', { ...requested(etag), accept: 'application/yaml' })
    t.strictSame(
      [yaml.status, yaml.body, yaml.etag === etag],
      [200, 'id: 7\n', false],
      'another form, another tag',
    )
    const photo = { status: 304, etag: '"p1"', type: undefined, cache: 'public, max-age=60', body: '' }
    t.strictSame(
      await get('/trips/7/photo', requested('"p1"')),
      photo,
      "the route's own tag stands, of a stream too",
    )
    t.strictSame((await get('/trips/0', requested('*'))).status, 404)
    const { status, etag: unreported } = await get('/trips/me', requested('*'))
    t.strictSame([status, unreported], [200, undefined], 'no resource, no tag')
    const params = { uri: 'trips://7' }
    const { said } = await ask(client, {
      era: 'modern',
      method: 'resources/read',
      params,
      headers: requested(etag),
    })
    t.equal(said.contents?.[0]?._meta.etag, etag)
  })
