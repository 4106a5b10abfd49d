/** `acmcp prompts`, `resources`, `prompt` and `read`: what an application offers beside tools. */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import t, { type Test } from 'tap'
import { copiesOfBuilt, type Ran } from '../support/built-app.ts'
import { acmcpHere, acmcpIn } from '../support/here.ts'
import { shopIn } from '../support/shop.ts'

const config = `import { type AppConfig, defineApp } from 'acmcp'
export const config: AppConfig = defineApp({
  scopes: { 'trips:read': 'See your trips', 'trips:plan': 'Plan trips' },
})
`

const trips = `import { ApplicationController, type Int32, NotFound, type PromptMessage } from 'acmcp'

/**
 * Journeys.
 *
 * @base /trips
 * @scope trips:read
 */
export class Trips extends ApplicationController {
  /**
   * Plans a journey.
   *
   * @mcp prompt name=plan-trip
   * @mcp title="Plan a journey"
   * @scope trips:plan
   * @param city - where to
   * @param days - how long
   */
  plan(city: string, days: Int32 = 3): string {
    return \`\${days} days in \${city} for \${this.access?.user.id}\`
  }

  /**
   * Asks what is in a picture.
   *
   * @mcp prompt
   */
  picture(): PromptMessage[] {
    const resource = { uri: 'trips://1', mimeType: 'application/json', text: '{"id":1}' }
    return [
      { role: 'user', content: { type: 'image', data: new Uint8Array([1, 2]), mimeType: 'image/png' } },
      { role: 'assistant', content: { type: 'text', text: 'A lake.' } },
      { role: 'user', content: { type: 'resource', resource } },
    ]
  }

  /**
   * Reads a journey.
   *
   * @get /:id
   * @mcp resource uri=trips://{id}
   * @mcp name=read_trip
   * @param id - which one
   */
  show(id: Int32): { id: number } {
    if (id === 0) throw new NotFound('no such journey')
    return { id }
  }

  /**
   * A picture of a journey.
   *
   * @get /:id/photo
   * @mcp resource hide
   * @produces image/png
   */
  photo(id: Int32): Blob {
    return new Blob([new Uint8Array([id, 200])])
  }

  /**
   * Where one may go.
   *
   * @get /places
   * @mcp resource uri=trips://places
   */
  places(): string[] {
    return ['Bern']
  }
}
`.replace('@mcp resource hide', '@mcp resource\n   * @mcp hide')

const tripsIn: (t: Test) => Promise<string> = copiesOfBuilt({
  'app/config.ts': config,
  'app/controllers/trips.ts': trips,
})
const all = 'api trips:read trips:plan'

t.test('prompts and resources are listed as a client sees them, whole or by scope', async (t) => {
  const root = await tripsIn(t)
  const ran = (...args: readonly string[]): Promise<Ran> =>
    acmcpHere(root, { BASE_URL: 'https://a.example' }, ...args)
  const prompts = `plan-trip (Plan a journey)
  Plans a journey.
  arguments: city, days?

trips_picture
  Asks what is in a picture.
`
  t.strictSame(await ran('prompts'), { status: 0, stdout: prompts, stderr: '' })
  const resources = `trips://places (trips_places, application/json)
  Where one may go.

trips://{id} (read_trip, application/json)
  Reads a journey.

https://a.example/trips/{id}/photo (trips_photo, image/png)
  A picture of a journey.
`
  t.strictSame(await ran('resources'), { status: 0, stdout: resources, stderr: '' })
  t.strictSame(JSON.parse((await ran('prompts', '--json')).stdout).prompts[0], {
    name: 'plan-trip',
    title: 'Plan a journey',
    description: 'Plans a journey.',
    arguments: [
      { name: 'city', description: 'where to', required: true },
      { name: 'days', description: 'how long', required: false },
    ],
  })
  t.strictSame(
    (await ran('prompts', '--scope', 'trips:read')).stdout,
    'trips_picture\n  Asks what is in a picture.\n',
  )
  const listed = JSON.parse((await ran('resources', '--json')).stdout)
  t.strictSame(
    [listed.resources, listed.resourceTemplates].map((list) =>
      list.map(({ name }: { name: string }) => name),
    ),
    [['trips_places'], ['read_trip', 'trips_photo']],
  )
  t.strictSame(await ran('resources', '--scope', 'trips:plan'), {
    status: 0,
    stdout: '',
    stderr: 'acmcp: there are no resources with trips:plan\n',
  })
  t.strictSame(await ran('prompts', '--scope', 'trip:plan'), {
    status: 2,
    stdout: '',
    stderr: 'acmcp: there is no scope trip:plan. Did you mean trips:plan?\n',
  })
})

t.test('a prompt prints its messages, and says what is wrong with a question', async (t) => {
  const root = await tripsIn(t)
  const prompt = (...args: readonly string[]): Promise<Ran> =>
    acmcpHere(root, {}, 'prompt', ...args, '--scope', all)
  t.strictSame(await prompt('plan-trip', 'city=Bern', '--as', 'ada'), {
    status: 0,
    stdout: '3 days in Bern for dev:ada\n',
    stderr: '',
  })
  t.strictSame(
    (await prompt('trips_picture')).stdout,
    'user: [image, image/png, 2 bytes]\nassistant: A lake.\nuser: {"id":1}\n',
  )
  t.strictSame(JSON.parse((await prompt('plan-trip', 'city=Bern', 'days=2', '--json')).stdout), {
    description: 'Plans a journey.',
    messages: [{ role: 'user', content: { type: 'text', text: '2 days in Bern for dev:developer' } }],
  })
  const wrong: readonly (readonly [readonly string[], number, string])[] = [
    [['plan_trip'], 1, 'plan_trip was not asked: unknown prompt "plan_trip", did you mean: plan-trip'],
    [['plan-trip', 'Bern'], 2, 'Bern is no argument: write name=value, or name:=json'],
    [['plan-trip', 'days:=3'], 2, 'days:=3: arguments of prompts are texts, write name=value'],
  ]
  for (const [args, status, stderr] of wrong) {
    t.strictSame(await prompt(...args), { status, stdout: '', stderr: `acmcp: ${stderr}\n` })
  }
  const lacking = await acmcpHere(root, {}, 'prompt', 'plan-trip', 'city=Bern', '--scope', 'trips:read')
  t.match(lacking, {
    status: 1,
    stderr:
      /^acmcp: plan-trip was not asked: 403 Forbidden\n.*\nMore permission is needed: .*trips:plan \(Plan trips\)/,
  })
})

t.test('a resource is read by its address or path, byte by byte', async (t) => {
  const root = await tripsIn(t)
  const read = (...args: readonly string[]): Promise<Ran> =>
    acmcpHere(root, {}, 'read', ...args, '--scope', all)
  t.strictSame(await read('trips://7'), { status: 0, stdout: '{"id":7}', stderr: '' })
  t.strictSame(await read('/trips/7/photo'), { status: 0, stdout: '\u0007\u00c8', stderr: '' })
  t.match(JSON.parse((await read('trips://places', '--json')).stdout), {
    contents: [{ uri: 'trips://places', mimeType: 'application/json', text: '["Bern"]' }],
  })
  t.strictSame(await read('trips://0'), {
    status: 1,
    stdout: '',
    stderr: 'acmcp: trips://0 was not read: Resource not found; acmcp resources lists them\n',
  })
  const piped = spawnSync(
    process.execPath,
    [resolve('dist/cli/main.js'), 'read', '/trips/7/photo', '--scope', all],
    {
      cwd: root,
      env: { PATH: process.env.PATH ?? '' },
    },
  )
  t.strictSame([piped.status, [...piped.stdout], String(piped.stderr)], [0, [7, 200], ''])
})

t.test(
  'prompts and resources: call names the command for what is no tool, and an application without says so',
  async (t) => {
    const root = await tripsIn(t)
    const reported = async (cwd: string, ...args: readonly string[]): Promise<readonly unknown[]> => {
      const { status, stdout, stderr } = await acmcpHere(cwd, {}, ...args)
      return [status, stdout, stderr]
    }
    t.strictSame(await reported(root, 'call', 'plan-trip'), [
      1,
      '',
      'acmcp: plan-trip was not called: it is a prompt: acmcp prompt plan-trip\n',
    ])
    t.strictSame(await reported(root, 'call', 'trips://7'), [
      1,
      '',
      'acmcp: trips://7 was not called: for an address there is acmcp read trips://7\n',
    ])
    const shop = await shopIn(t)
    t.strictSame(await reported(shop, 'prompts'), [
      0,
      '',
      'acmcp: there are no prompts: @mcp prompt makes one\n',
    ])
    t.strictSame(await reported(shop, 'resources', '--json'), [
      0,
      '{"resources":[],"resourceTemplates":[]}\n',
      'acmcp: there are no resources: @mcp resource makes one\n',
    ])
    t.strictSame(await reported(shop, 'prompt', 'plan'), [
      1,
      '',
      'acmcp: there are no prompts: @mcp prompt makes one\n',
    ])
    t.strictSame(await reported(shop, 'read', 'a://b'), [
      1,
      '',
      'acmcp: there are no resources: @mcp resource makes one of a GET route\n',
    ])
  },
)

t.test('on a terminal texts are shown safely, and tools say what else there is', async (t) => {
  const cwd = await tripsIn(t)
  const shown = { cwd, env: {}, isTerminal: true, colour: true }
  const { stdout } = await acmcpIn(shown, 'prompts')
  t.equal(stdout.split('\n', 1)[0], '\u001b[1mplan-trip\u001b[0m (Plan a journey)')
  const { stderr } = await acmcpIn(shown, 'tools')
  t.strictSame(stderr.split('\n'), [
    'toolboxes: trips (acmcp tools <toolbox>)',
    '2 prompts (acmcp prompts)',
    '3 resources (acmcp resources)',
    '',
  ])
})
