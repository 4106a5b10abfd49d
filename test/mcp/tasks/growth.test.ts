/** What stored results of tasks cost whoever asks for them: in proportion to their bytes and their depth. */
import t, { type Test } from 'tap'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { builtFolder } from '../../support/linked.ts'
import { growth } from '../../support/report/growth.ts'
import { clientOf, openInstances, until, whenRequested } from './jobs.ts'

t.setTimeout(240_000) // a busy machine

const reports = `import { ApplicationController } from 'acmcp'

/**
 * Reports that take long.
 *
 * @base /reports
 */
export class Reports extends ApplicationController {
  /**
   * Makes a report.
   *
   * @post /
   * @mcp task
   */
  async make(): Promise<unknown> { return JSON.parse(await Reflect.get(globalThis, 'work')({})) }
}
`

const bundle = await loadBundle(
  await builtFolder({
    'package.json': '{"name":"reports","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': `import { defineApp } from 'acmcp'

export const config = defineApp({ mcp: { path: '/mcp', serverName: 'Reports', answerChars: 4_000_000 } })
`,
    'app/controllers/reports.ts': reports,
  }),
)

/** So many levels in one another, the same bytes beside each of them. */
function nested(levels: number, bytes: number): object {
  let value: object = { note: 'leaf' }
  for (let level = 0; level < levels; level += 1)
    value = { left: value, note: 'abcdefgh '.repeat(bytes / levels / 9), rows: [level, { level }] }
  return value
}

const control = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

async function opened(t: Test) {
  const { all, tokenOf } = await openInstances(t, bundle, {
    databaseUrl: 'sqlite::memory:',
    count: 1,
    limits: { toolCallsPerMinute: false, keptTasksPerUser: false },
  })
  const [only] = all
  if (only === undefined) throw new Error('there is one')
  return clientOf(only, await tokenOf('dev:ada', 'api'))
}

t.test('the result of a task is asked for in time in proportion to its bytes and its depth', async (t) => {
  const client = await opened(t)
  const made = async (value: object): Promise<string> => {
    whenRequested(async () => JSON.stringify(value))
    const { taskId } = (await client.call('reports_make')).said
    await until(client, taskId, 'completed')
    return taskId
  }
  const small = nested(32, 2_000)
  t.strictSame((await client.get(await made(small))).said.result.structuredContent, small)
  const curves = [
    { name: '2 kB a level: levels', sizes: [8, 16, 32], of: (size: number) => nested(size, 2_000 * size) },
    {
      name: '32 levels: bytes',
      sizes: [262_144, 524_288, 1_000_000],
      of: (size: number) => nested(32, size),
    },
  ]
  for (const { name, sizes, of } of curves) {
    const ids = new Map<number, string>()
    for (const size of sizes) ids.set(size, await made(of(size)))
    await growth(t, {
      name: `tasks/get of a stored result, ${name}`,
      sizes,
      input: (size) => ({ id: ids.get(size) ?? '', value: of(size) }),
      work: ({ id }) => client.get(id),
      control: ({ value }) => control(value),
      maxMs: 100,
    })
  }
})

t.test('a hostile id of a task takes time in proportion to its length', async (t) => {
  const client = await opened(t)
  await growth(t, {
    name: 'tasks/get of an id that there is not: characters',
    sizes: [16_000, 32_000, 64_000],
    input: (length) => '\u00e9'.repeat(length / 2),
    work: (id) => client.ask('tasks/get', { taskId: id }, { 'mcp-name': 'x' }),
    control,
    maxMs: 50,
  })
})
