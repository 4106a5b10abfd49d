/** What the start says of capabilities that have the same, and of settings that nothing uses. */
import t from 'tap'
import type { Capability, CapabilityParts } from '../../runtime/boot/capability.ts'
import { composeApplication } from '../../runtime/boot/compose.ts'
import { ownSettings } from '../../runtime/boot/owners.ts'
import { flag } from '../../runtime/boot/settings/checks.ts'
import { group, setting } from '../../runtime/boot/settings/setting.ts'
import { capabilities } from '../../runtime/capabilities/index.ts'
import type { Endpoint } from '../../runtime/contract/http.ts'
import type { CapabilityTable } from '../../runtime/store/tables.ts'
import { buildStudio } from '../http/limits/studio.ts'
import { surroundings } from '../support/surroundings.ts'

type Own = Omit<Partial<Capability>, 'start'> & { readonly parts?: CapabilityParts }

const capability = (name: string, { parts = {}, ...own }: Own): Capability => ({
  name,
  isUsed: () => true,
  unused: null,
  start: () => parts,
  ...own,
})

/** None of its routes has a tag. */
const bundle = await buildStudio()

/** What a start with these capabilities beside ours is refused with; null = it starts. */
const refusalOf = (...more: readonly Capability[]): Promise<string | null> => refusalOfAll({}, more)

async function refusalOfAll(config: object, more: readonly Capability[] = []): Promise<string | null> {
  try {
    const application = await composeApplication(
      { ...bundle, config: { ...Object(bundle.config), ...config } },
      surroundings('http://localhost:4000'),
      [...capabilities, ...more],
    )
    await application.server.ready()
    await application.close()
    return null
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return `${error.name}: ${error.message}`
  }
}

const table = (name: CapabilityTable['name']): CapabilityTable => ({ name, migrations: {}, key: 'id' })
const settings = (name: string) => group({ [name]: setting(flag, false) })
const endpoint = (method: string, path: string): Endpoint => ({
  methods: [method],
  path,
  handle: () => ({ status: 204, headers: {}, body: null }),
})
const counter = {
  name: 'acmcp.stars',
  unit: '{star}',
  description: 'Stars.',
  attribute: 'acmcp.end',
} as const
const row = { name: 'stars', text: () => 'stars' }

const same: Readonly<Record<string, readonly [Own, Own]>> = {
  'the setting config.stars': [{ settings: settings('stars') }, { settings: settings('stars') }],
  'the table acmcp_stars': [{ tables: [table('acmcp_stars')] }, { tables: [table('acmcp_stars')] }],
  'the field stars of routes': [{ row }, { row }],
  'the counter acmcp.stars': [{ counters: [counter] }, { counters: [counter] }],
  'the endpoint POST /oauth/stars': [
    { parts: { endpoints: () => [endpoint('POST', '/oauth/stars')] } },
    { parts: { endpoints: () => [endpoint('GET', '/oauth/stars'), endpoint('POST', '/oauth/stars')] } },
  ],
  'the endpoint GET /auth/stars/:': [
    { parts: { pages: () => [endpoint('GET', '/auth/stars/:id')] } },
    { parts: { pages: () => [endpoint('GET', '/auth/stars/:name')] } },
  ],
  'the endpoint GET /auth/stars': [
    { parts: { pages: () => [endpoint('GET', '/auth/stars')] } },
    { parts: { endpoints: () => [endpoint('GET', '/auth/stars')] } },
  ],
  'the token grant urn:stars': [
    { parts: { grants: () => new Map([['urn:stars', noGrant]]) } },
    { parts: { grants: () => new Map([['urn:stars', noGrant]]) } },
  ],
  'the method stars/list': [{ methods: ['stars/list'] }, { methods: ['stars/get', 'stars/list'] }],
  'the setting config.limits.stars': [{ limits: settings('stars') }, { limits: settings('stars') }],
}

function noGrant(): never {
  throw new Error('nobody asks for it')
}

for (const [what, [one, other]] of Object.entries(same))
  t.test(`two capabilities with ${what} end the start in one line that names both`, async (t) => {
    t.equal(
      await refusalOf(capability('suns', one), capability('stars', other)),
      `BootError: suns and stars both have ${what}`,
    )
  })

t.test('what capabilities have apart from each other is served together', async (t) => {
  t.equal(
    await refusalOf(
      capability('suns', {
        settings: settings('suns'),
        methods: ['suns/list'],
        parts: { endpoints: () => [endpoint('GET', '/oauth/stars')] },
      }),
      capability('stars', {
        settings: settings('stars'),
        methods: ['stars/list'],
        parts: { endpoints: () => [endpoint('POST', '/oauth/stars')] },
      }),
    ),
    null,
  )
})

t.test('two capabilities of one name, and one with what the core has, end the start', async (t) => {
  t.strictSame(
    await Promise.all([
      refusalOf(capability('stars', {}), capability('stars', {})),
      refusalOf(capability('leaving', {})),
      refusalOf(capability('stars', { settings: settings('limits') })),
      refusalOf(capability('stars', { tables: [table('acmcp_users')] })),
      refusalOf(capability('stars', { settings: settings('telemetry') })),
    ]),
    [
      'BootError: two capabilities have the name stars',
      'BootError: two capabilities have the name leaving',
      'BootError: acmcp itself and stars both have the setting config.limits',
      'BootError: acmcp itself and stars both have the table acmcp_users',
      'BootError: telemetry and stars both have the setting config.telemetry',
    ],
  )
})

t.test('one that is not used clashes by what its descriptor says, and by nothing else', async (t) => {
  const unused = { isUsed: () => false, start: noGrant }
  t.equal(
    await refusalOf(
      { ...capability('suns', { tables: [table('acmcp_stars')] }), ...unused },
      capability('stars', { tables: [table('acmcp_stars')] }),
    ),
    'BootError: suns and stars both have the table acmcp_stars',
  )
  t.equal(
    await refusalOf(
      { ...capability('suns', { settings: settings('suns') }), ...unused },
      capability('stars', { parts: { endpoints: () => [endpoint('POST', '/oauth/stars')] } }),
    ),
    null,
  )
})

/** A setting of each capability that can be written for nothing, all of them, and what the start says. */
const unused: Readonly<Record<string, readonly [config: object, said: string]>> = {
  'config.idempotency': [{ idempotency: { keep: '1h' } }, 'no route has @idempotencyKey'],
  'config.approval': [{ approval: {} }, 'no route has @approval'],
  'config.onApprovalAsked': [{ onApprovalAsked: () => {} }, 'no route has @approval'],
  ...Object.fromEntries(
    ['taskSeconds', 'taskKeptSeconds', 'concurrentTasks', 'tasksPerUser', 'keptTasksPerUser'].map((name) => [
      `config.limits.${name}`,
      [{ limits: { [name]: 1 } }, 'no tool has @mcp task, and none answers 202'],
    ]),
  ),
}

t.test('a setting of a capability that the application does not use ends the start', async (t) => {
  const refused = capabilities.filter(({ unused }) => unused !== null && unused !== '').flatMap(ownSettings)
  t.strictSame(Object.keys(unused).sort(), refused.map(([name, from]) => `${from}.${name}`).sort())
  for (const [name, [config, said]] of Object.entries(unused))
    t.equal(await refusalOfAll(config), `BootError: app/config.ts: ${name} is set, but ${said}`)
  t.equal(await refusalOfAll({ approval: undefined }), null, 'what is not written is not set')
})
