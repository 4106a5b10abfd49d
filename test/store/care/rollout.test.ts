/** Two versions of an application on one store, while the schema changes between them; on both engines. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Application, createApplication, type Dependencies } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { copiesOfBuilt } from '../../cli/support/built-app.ts'
import { surroundings } from '../../support/surroundings.ts'
import { postgresOrNotice } from '../postgres-server.ts'
import { rejection } from '../support.ts'
import { folderOf, runStore } from './run-store.ts'

const table = `import { databaseOf, rowIdType, type Migration } from 'acmcp/store'
import type { Services } from 'acmcp'

interface Tables {
  readonly things: { readonly id?: number; readonly text: string COLUMN }
}

export const things: Migration = {
  additive: true,
  async up(db) {
    await db.schema.createTable('things').addColumn('id', rowIdType(db), (c) => c.primaryKey()).addColumn('text', 'text').execute()
  },
}

export const all = (services: Services) => databaseOf<Tables>(services).selectFrom('things').selectAll().orderBy('id').execute()

export const add = async (services: Services, text: string) => {
  await databaseOf<Tables>(services).insertInto('things').values({ text }).execute()
}
`
const secondMigration = `
export const colour: Migration = {
  additive: true,
  async up(db) {
    await db.schema.alterTable('things').addColumn('colour', 'text', (c) => c.notNull().defaultTo('red')).execute()
  },
}
`
const controller = `import { add, all } from '../things-table.ts'
import { Protected } from '../protected.ts'

/**
 * Things that are kept.
 *
 * @base /api/things
 */
export class Things extends Protected {
  /**
   * Lists all things.
   *
   * @get /
   */
  async index(): Promise<string[]> {
    return (await all(this.services)).map((one) => TEXT)
  }

  /**
   * Adds a thing.
   *
   * @post /
   * @param text - the text of the thing
   * @returns 201 all things
   */
  async create(text: string): Promise<string[]> {
    await add(this.services, text)
    return this.index()
  }
}
`
const configOf = (names: string, list: string): string => `import { defineApp } from 'acmcp'
import { ${names} } from './things-table.ts'

export const config: object = defineApp({ migrations: { ${list} } })
`
const shared = { 'app/protected.ts': readFileSync('app/protected.ts', 'utf8') }
const oldVersion = copiesOfBuilt({
  ...shared,
  'app/config.ts': configOf('things', `'001_things': things`),
  'app/things-table.ts': table.replace('COLUMN', ''),
  'app/controllers/things.ts': controller.replace('TEXT', 'one.text'),
})
const newVersion = copiesOfBuilt({
  ...shared,
  'app/config.ts': configOf('colour, things', `'001_things': things, '002_colour': colour`),
  'app/things-table.ts': table.replace('COLUMN', '; readonly colour?: string') + secondMigration,
  'app/controllers/things.ts': controller.replace('TEXT', "[one.colour, one.text].join(' ')"),
})

const behind = 'the store is behind: run acmcp store migrate, or start once with acmcp serve --migrate'
const stateOf = (applied: boolean, additive: boolean, known: boolean): object => ({
  owner: 'app',
  name: '002_colour',
  applied,
  additive,
  known,
})

type Start = (folder: string, migrate: boolean) => Promise<Application>

/** Instances with the same secrets, closed after the test. */
function starter(t: Test, databaseUrl: string): Start {
  const common: Dependencies = surroundings('http://localhost:3000', { databaseUrl })
  return async (folder, migrate) => {
    const application = await createApplication(await loadBundle(folder), { ...common, migrate })
    t.teardown(() => application.close())
    return application
  }
}

const user = { id: 'dev:ada', name: 'Ada', email: null }

async function tokenFrom(application: Application): Promise<string> {
  await application.store.saveUser(user)
  return (await application.developmentToken(user.id, 'api')).accessToken
}

/** One of each kind; resolves with what was answered that should not be. */
async function use({ server }: Application, token: string, text: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' }
  const call = { name: 'things_create', arguments: { text } }
  const answers = [
    await server.inject({ url: '/api/things', headers }),
    await server.inject({ method: 'POST', url: '/api/things', headers, payload: { text } }),
    await server.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...headers, 'mcp-protocol-version': '2025-11-25' },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    }),
  ]
  return answers.flatMap(({ statusCode, body }, at) => {
    const isRight = statusCode === [200, 201, 200][at] && body.includes(at === 0 ? '[' : text)
    return isRight && !body.includes('isError":true') ? [] : [`${statusCode} ${body}`]
  })
}

/** Uses the instances in turn until it is stopped. */
function traffic(
  instances: readonly Application[],
  tokens: readonly string[],
): { stop(): Promise<{ rounds: number; wrong: readonly string[] }>; after(rounds: number): Promise<void> } {
  const wrong: string[] = []
  const waiting: { readonly rounds: number; readonly go: () => void }[] = []
  let rounds = 0
  let isStopped = false
  const running = (async () => {
    for (; !isStopped; rounds += 1) {
      for (const application of instances)
        for (const token of tokens) wrong.push(...(await use(application, token, `text ${rounds}`)))
      for (const { rounds: wanted, go } of waiting) if (rounds >= wanted) go()
    }
  })()
  return {
    after: (more) => new Promise((go) => void waiting.push({ rounds: rounds + more, go })),
    stop: async () => {
      isStopped = true
      await running
      return { rounds, wrong }
    },
  }
}

/** `acmcp store migrate` as a process of its own, beside what runs here. */
async function migrateBeside(cwd: string, databaseUrl: string): Promise<readonly unknown[]> {
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: databaseUrl }
  const main = join(process.cwd(), 'dist/cli/main.js')
  return once(spawn(process.execPath, [main, 'store', 'migrate'], { cwd, env, stdio: 'ignore' }), 'close')
}

async function rollouts(t: Test, fresh: () => Promise<string>): Promise<void> {
  const [oldFolder, newFolder] = [await oldVersion(t), await newVersion(t)]
  t.test('an additive migration: both versions serve before, while and after it runs', async (t) => {
    const url = await fresh()
    const env = { DATABASE_URL: url }
    const start = starter(t, url)
    const plan = async (folder: string): Promise<{ rollout: string }> =>
      JSON.parse((await runStore(folder, { kind: 'plan', json: true }, env)).out)
    t.equal((await plan(newFolder)).rollout, 'new')
    const before = await start(oldFolder, true)
    const oldToken = await tokenFrom(before)
    t.match(await rejection(start(newFolder, false)), { message: behind })
    t.match(await plan(newFolder), {
      rollout: 'migrate-first',
      pending: [stateOf(false, true, true)],
      unknown: [],
    })
    const first = traffic([before], [oldToken])
    await first.after(5)
    t.strictSame(await migrateBeside(newFolder, url), [0, null])
    await first.after(5)
    t.strictSame((await first.stop()).wrong, [])

    t.equal((await plan(newFolder)).rollout, 'nothing')
    t.match(await plan(oldFolder), { rollout: 'nothing', pending: [], unknown: [stateOf(true, true, false)] })
    const after = await start(newFolder, false)
    const again = await start(oldFolder, false)
    const inDevelopment = await start(oldFolder, true)
    const tokens = [oldToken, await tokenFrom(after)]
    const second = traffic([before, after, again, inDevelopment], tokens)
    await second.after(3)
    t.strictSame((await second.stop()).wrong, [], 'what one version issued the other takes')
    const [token = ''] = tokens
    const headers = { authorization: `Bearer ${token}` }
    const read = async ({ server }: Application): Promise<string[]> =>
      (await server.inject({ url: '/api/things', headers })).json()
    t.strictSame(
      await read(after),
      (await read(before)).map((text) => `red ${text}`),
    )
    const seen = await runStore(oldFolder, { kind: 'status', json: false }, env)
    t.equal(seen.code, 0)
    t.match(seen.out, '  applied  app 002_colour (of a newer build, additive)\nthe schema is current\n')
  })

  t.test('one that is not additive: the version before refuses, and the plan says so', async (t) => {
    const url = await fresh()
    const env = { DATABASE_URL: url }
    const start = starter(t, url)
    const unmarked = await newVersion(t)
    const bundle = join(unmarked, '.acmcp', 'app.mjs')
    const text = readFileSync(bundle, 'utf8')
    const second = text.lastIndexOf('additive: true')
    writeFileSync(
      bundle,
      `${text.slice(0, second)}additive: false${text.slice(second + 'additive: true'.length)}`,
    )
    await (await start(oldFolder, true)).close()
    t.strictSame(await runStore(unmarked, { kind: 'plan', json: false }, env), {
      code: 0,
      out: `${(await runStore(unmarked, { kind: 'status', json: false }, env)).out.split('\n')[0]}
  pending  app 002_colour: not additive
rollout: take a backup, stop every instance of the version before, run acmcp store migrate, then start the new ones
`,
      err: '',
    })
    t.strictSame(
      (await runStore(unmarked, { kind: 'migrate', json: true }, env)).out,
      '{"applied":[{"owner":"app","name":"002_colour"}]}\n',
    )
    const refusal = `the store has migrations that this build does not know, and that are not marked additive or came before its own: app 002_colour. Serve the build that has them, or restore the backup from before them`
    for (const migrate of [false, true])
      t.match(await rejection(start(oldFolder, migrate)), { name: 'BootError', message: refusal })
    const planned = await runStore(oldFolder, { kind: 'plan', json: true }, env)
    t.strictSame([planned.code, JSON.parse(planned.out).rollout], [1, 'impossible'])
    const application = await start(unmarked, false)
    t.strictSame(await use(application, await tokenFrom(application), 'a text'), [])
  })
}

t.test('SQLite', (t) => {
  let count = 0
  const folder = folderOf(t, false)
  return rollouts(t, async () => `sqlite:${join(folder, `${count++}.db`)}`)
})
const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.teardown(() => server.stop())
  t.test('PostgreSQL', (t) => rollouts(t, () => server.freshDatabase()))
}
