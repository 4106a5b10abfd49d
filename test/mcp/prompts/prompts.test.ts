/** Prompts, resources and completions of an application, in both eras. */
import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import type { TestClient } from '../../../runtime/testing.ts'
import { openGuarded } from '../support/guarded.ts'
import type { Era } from '../support/support.ts'
import { ask, buildTrips, type Reported, type Requested } from './trips.ts'

t.setTimeout(240_000) // a busy machine

const bundle = await buildTrips()
const eras: readonly Era[] = ['legacy', 'modern']

/** What the hook of a plugin saw. */
const hooked: string[] = []
const plugin: AppPlugin = async (app) => {
  app.addHook('onRequest', async ({ url }) => void hooked.push(url))
}

const open = (t: Test, plugins: readonly AppPlugin[] = []) =>
  openGuarded(t, bundle, { config: { mcp: { authProbe: 'trips_me' }, plugins: [...plugins] } })

type Asking = (requested: Omit<Requested, 'era'>) => Promise<Reported>

/** Asks in an era, as somebody whose token grants the names. */
function asking(client: TestClient, era: Era): Asking {
  return (requested) => ask(client, { era, ...requested })
}

const cached = (era: Era, ttlMs: number, cacheScope: string): object =>
  era === 'legacy' ? {} : { ttlMs, cacheScope }

for (const plugins of [[], [plugin]]) {
  const how = plugins.length === 0 ? 'directly' : 'behind plugins'
  t.test(`prompts, resources, completions: ${how}, in both eras`, async (t) => {
    const { app, tokenOf } = await open(t, plugins)
    const client = app.client().withBearer(await tokenOf('trips:read trips:plan'))
    for (const era of eras) {
      const requests = asking(client, era)
      await t.test(`${era}: prompts`, (t) => promptsAnswer(t, requests))
      await t.test(`${era}: resources`, (t) => resourcesAnswer(t, requests, era))
      await t.test(`${era}: completions`, (t) => completionsAnswer(t, requests))
    }
    const paths = plugins.length === 0 ? [] : ['/.acmcp/trips_plan?city=Bern', '/trips/7']
    t.strictSame(
      paths.map((path) => hooked.includes(path)),
      paths.map(() => true),
      'hooks run for them',
    )
    const { statusCode } = await client.get('/.acmcp/trips_plan?city=Bern')
    t.equal(statusCode, 404, 'a prompt without a route has no address over HTTP')
  })
}

async function promptsAnswer(t: Test, requests: Asking): Promise<void> {
  const get = async (name: string, args: object = {}, headers = {}): Promise<Reported['said']> =>
    (await requests({ method: 'prompts/get', params: { name, arguments: args }, headers })).said
  const image = { role: 'assistant', content: { type: 'image', data: 'AQI=', mimeType: 'image/png' } }
  const text = (words: string): object => ({ role: 'user', content: { type: 'text', text: words } })
  t.strictSame(await get('trips_plan', { city: 'Bern' }), {
    description: 'Plans a journey.',
    messages: [text('3 slow days in Bern for dev:ada with none'), image],
  })
  const full = { city: 'Bern', days: '5', style: 'fast' }
  t.strictSame(
    (await get('trips_plan', full, { 'x-api-key': 'k' })).messages[0],
    text('5 fast days in Bern for dev:ada with k'),
  )
  t.strictSame(
    (await get('trips_plan', { city: 'Bern', days: '', style: '' })).messages[0],
    text('3 slow days in Bern for dev:ada with none'),
    'what a user leaves empty is absent',
  )
  t.strictSame((await get('trips_packing', { days: '2' })).messages, [text('What do I need for 2 days?')])
  t.match(await get('trips_plan'), { code: -32602, message: /^422 .*"parameter":"city"/s })
  t.match(await get('trips_plan', { city: 'Bern', days: 'x' }), {
    code: -32602,
    message: /"parameter":"days"/,
  })
  t.match(await get('trips_plan', { city: 'Bern', town: 'x' }), { code: -32602, message: /town/ })
  t.match(await get('trips_plan', full, { 'x-api-key': 'banned' }), { code: 403, message: /you are banned/ })
  t.match(await get('trips_plans'), { code: -32602, message: /did you mean: trips_plan/ })
  t.match(await get('trips_broken'), { code: -32603, message: 'Internal error' })
}

const etagOf = (text: string): string =>
  `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`

async function resourcesAnswer(t: Test, requests: Asking, era: Era): Promise<void> {
  const read = (uri: string): Promise<Reported> => requests({ method: 'resources/read', params: { uri } })
  t.strictSame((await read('trips://7')).said, {
    contents: [
      {
        uri: 'trips://7',
        mimeType: 'application/json',
        _meta: { etag: etagOf('{"id":7}') },
        text: '{"id":7}',
      },
    ],
    ...cached(era, 0, 'private'),
  })
  const photo = 'http://localhost:3000/trips/7/photo'
  t.strictSame((await read(photo)).said, {
    contents: [{ uri: photo, mimeType: 'image/png', _meta: { etag: '"p1"' }, blob: 'Bw==' }],
    ...cached(era, 60_000, 'public'),
  })
  const file = 'trips://7/files/a%20b/c.txt?upper=true&lines=4'
  t.strictSame((await read(file)).said.contents, [
    {
      ...{ uri: file, mimeType: 'text/plain', text: '7 a b/c.txt 4 true' },
      _meta: { etag: etagOf('7 a b/c.txt 4 true') },
    },
  ])
  t.strictSame(
    (await read('trips://places')).said.contents[0].text,
    '["Bern"]',
    'a plain address before a template',
  )
  const code = era === 'legacy' ? -32002 : -32602
  for (const uri of [
    'trips://0',
    'trips://7/nothing',
    'trips://7/files/a?other=1',
    'other://',
    'trips://%E0%A4%A',
  ]) {
    const { said } = await read(uri)
    t.strictSame([said.code, said.message, said.data], [code, 'Resource not found', { uri }])
  }
  t.match((await read('trips://x')).said, { code: -32602, message: /^400 .*"parameter":"id"/s })
  const { status } = await read('trips://401')
  t.equal(status, 401, "a route's 401 is the endpoint's")
}

async function completionsAnswer(t: Test, requests: Asking): Promise<void> {
  const complete = async (argument: string, value: string, chosen = {}): Promise<Reported['said']> => {
    const ref = { type: 'ref/prompt', name: 'trips_plan' }
    const params = { ref, argument: { name: argument, value }, context: { arguments: chosen } }
    const { said } = await requests({ method: 'completion/complete', params })
    return said.completion ?? said
  }
  const values = (...all: readonly string[]): object => ({ values: all, total: all.length, hasMore: false })
  t.strictSame(await complete('style', 's'), values('slow', 'sleepless', 'fast'))
  t.strictSame(await complete('style', 'SL'), values('slow', 'sleepless'))
  t.strictSame(await complete('city', 'B'), values('Basel', 'Bern', 'Biel'))
  t.strictSame(await complete('city', 'Be', { style: 'fast', days: '3' }), values('Bernfast'))
  t.strictSame(await complete('city', ''), values('Basel', 'Bern', 'Biel'))
  t.strictSame(await complete('days', '1'), values())
  t.match(await complete('citty', ''), {
    code: -32602,
    message: /unknown argument "citty", did you mean: city/,
  })
}

t.test('completions of what a caller may not ask for answer as those of what does not exist', async (t) => {
  const { app, tokenOf } = await open(t)
  const reader = app.client().withBearer(await tokenOf('trips:read'))
  for (const era of eras) {
    const complete = async (name: string, argument: string): Promise<Reported['said']> => {
      const params = { ref: { type: 'ref/prompt', name }, argument: { name: argument, value: 's' } }
      return (await ask(reader, { era, method: 'completion/complete', params })).said
    }
    for (const argument of ['style', 'city', 'stile']) {
      const said = await complete('trips_plan', argument)
      t.match(said, { code: -32602, message: /^unknown prompt "trips_plan"/ })
      t.notMatch(said.message, /style|city|did you mean: trips_plan/)
    }
  }
})

t.test('lists show what the caller may ask for, and say how long that holds', async (t) => {
  const { app, tokenOf } = await open(t)
  const reader = app.client().withBearer(await tokenOf('trips:read'))
  const planner = app.client().withBearer(await tokenOf('trips:read trips:plan'))
  for (const era of eras) {
    const names = async (client: TestClient, method: string, key: string): Promise<readonly string[]> => {
      const { said } = await ask(client, { era, method })
      const { [key]: entries, ...more } = said
      t.strictSame(more, cached(era, 300_000, 'private'))
      return entries.map(({ name }: { name: string }) => name)
    }
    const all = ['trips_packing', 'trips_plan', 'trips_asking', 'trips_broken']
    t.strictSame(await names(planner, 'prompts/list', 'prompts'), all)
    t.strictSame(
      await names(reader, 'prompts/list', 'prompts'),
      all.filter((name) => name !== 'trips_plan'),
    )
    t.strictSame(await names(reader, 'resources/list', 'resources'), ['trips_places'])
    const templates = ['trips_show', 'trips_photo', 'trips_attachment']
    t.strictSame(await names(reader, 'resources/templates/list', 'resourceTemplates'), templates)
    const { said } = await ask(planner, { era, method: 'prompts/list' })
    t.strictSame(said.prompts[1], {
      name: 'trips_plan',
      title: 'Plan a journey',
      description: 'Plans a journey.',
      arguments: [
        { name: 'city', description: 'where to', required: true },
        { name: 'days', description: 'how long', required: false },
        { name: 'style', description: 'how to travel', required: false },
      ],
    })
    const refused = await ask(reader, {
      era,
      method: 'prompts/get',
      params: { name: 'trips_plan', arguments: { city: 'Bern' } },
    })
    t.equal(refused.status, 403, 'what a client lacks is asked for by its challenge')
  }
})

t.test('a prompt asks its user, and the state of one prompt is good for it alone', async (t) => {
  const { app, tokenOf } = await open(t)
  const client = app.client().withBearer(await tokenOf('trips:read'))
  const capabilities = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
  const get = async (params: object): Promise<Reported['said']> => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', ...capabilities }
    const answer = await client.request({
      method: 'POST',
      url: '/mcp',
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'prompts/get',
        'mcp-name': 'trips_asking',
      },
      payload: {
        jsonrpc: '2.0',
        id: 1,
        method: 'prompts/get',
        params: { name: 'trips_asking', ...params, _meta },
      },
    })
    const { result, error } = answer.json()
    return result ?? error
  }
  const first = await get({})
  t.match(first, { resultType: 'input_required', inputRequests: { where: { method: 'elicitation/create' } } })
  const { requestState } = first
  const inputResponses = { where: { action: 'accept', content: { city: 'Bern' } } }
  const second = await get({ requestState, inputResponses })
  t.match(second.messages, [{ content: { text: /Bern.* kept$/ } }])
  const other = await get({ requestState, inputResponses, arguments: { more: 'x' } })
  t.match(other, { code: -32602 }, 'of other arguments')
  const uri = 'trips://1'
  const beside = await get({ uri, requestState: (await get({ uri })).requestState, inputResponses })
  t.match(
    beside.messages,
    [{ content: { text: /Bern.* kept$/ } }],
    'a member that prompts do not have counts for nothing',
  )
})
