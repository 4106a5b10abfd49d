/** What `acmcp` declares for applications: lean, and fitting what real packages declare. Source: house.md, What `acmcp`
 *  declares is lean. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { databaseOf } from '../runtime/store/database.ts'
import { noServices } from './boot/no-services.ts'
import { projectAt, typeErrorsOf } from './cli/support/type-check.ts'
import { linkPackage } from './support/linked.ts'

t.setTimeout(240_000)

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
}

/** The tsconfig.json of an application of one file, with these packages beside `acmcp`. */
function application(t: Test, source: string, packages: readonly string[] = []): string {
  const root = mkdtempSync(join(tmpdir(), 'acmcp-types-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  linkPackage(root)
  mkdirSync(join(root, 'node_modules/@fastify'))
  for (const name of packages)
    symlinkSync(join(process.cwd(), 'node_modules', name), join(root, 'node_modules', name))
  writeFileSync(join(root, 'package.json'), '{"name":"lean","type":"module"}')
  writeFileSync(join(root, 'app.ts'), source)
  const config = join(root, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ['app.ts'] }))
  return config
}

/** The declarations that a program with this one import draws in, beside TypeScript's and Node's own. */
function drawnIn(t: Test, entry: string): readonly string[] {
  const own = /\/(typescript|@types\/node|undici-types|buffer)\// // @types/node imports the two last
  const { program } = projectAt(application(t, `import '${entry}'\n`))
  const files = program.getSourceFiles().map(({ fileName }) => fileName)
  return files.filter((file) => file.endsWith('.d.ts') && !own.test(file))
}

const packagesOf = (files: readonly string[]): readonly string[] => {
  const imports = /(?:from|import\(|import|types=)\s*["']([^"'./][^"']*)["']/g
  const named = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(imports)].map(([, name = '']) => name),
  )
  return [...new Set(named)].filter((name) => !name.startsWith('node:')).sort()
}

t.test('importing acmcp draws in few declarations, and those of no package', async (t) => {
  const files = drawnIn(t, 'acmcp')
  t.ok(files.length > 10 && files.length <= 50, `${files.length} files (365 before)`)
  t.strictSame(packagesOf(files), [])
})

t.test('Kysely is read by who imports acmcp/store, and nothing else is', async (t) => {
  const files = drawnIn(t, 'acmcp/store').filter((file) => !file.includes('/node_modules/kysely/'))
  t.ok(files.length <= 12, String(files.length))
  t.strictSame(packagesOf(files), ['kysely'])
})

const fits = (t: Test, source: string): void => {
  const packages = ['fastify', '@fastify/cookie', '@fastify/websocket', '@fastify/session', 'kysely']
  t.equal(typeErrorsOf(application(t, source, packages)), '')
}

t.test('an application says once what is kept with its users', async (t) => {
  fits(
    t,
    `import { attributesOf, defineApp, type OnSignIn, SignInRefused, type User, type UserAttributes } from 'acmcp'
import { openTestApp } from 'acmcp/testing'

declare module 'acmcp' {
  interface UserAttributes {
    groups: readonly string[]
  }
}

export const groupsOf = (user: User): readonly string[] => attributesOf(user)?.groups ?? []
export const kept: UserAttributes = { groups: [] }
const later: OnSignIn = async ({ claims, services }) => (services.clock() > 0 ? null : { groups: [String(claims.sub)] })
export const config = defineApp({
  onSignIn: ({ claims }) => {
    if (claims.hd !== 'example.org') throw new SignInRefused('another domain')
    return { groups: [] }
  },
  grants: { signInWithin: '7d' },
})
defineApp({ onSignIn: later, scopes: { a: { text: 'b', mayHave: (user) => groupsOf(user).includes('admins') } } })
// @ts-expect-error another name
defineApp({ onSignIn: () => ({ group: [] }) })
// @ts-expect-error no list of texts
defineApp({ onSignIn: async () => ({ groups: 1 }) })
// @ts-expect-error the record has none
export const none = (user: User) => user.groups
export const test = async (): Promise<string> => {
  const app = await openTestApp()
  await app.client().signIn(undefined, { attributes: { groups: ['a'] } })
  // @ts-expect-error no list
  await app.client().signIn(undefined, { attributes: { groups: 'a' } })
  return app.accessToken(undefined, { attributes: { groups: ['a'] } })
}
`,
  )
})

t.test('a name that is no setting is a type error of defineApp, at every depth', async (t) => {
  fits(
    t,
    `import { defineApp } from 'acmcp'

// @ts-expect-error no such setting
defineApp({ limts: {} })
// @ts-expect-error it belongs to mcp
defineApp({ serverName: 'Shop', mcp: { path: '/a' } })
// @ts-expect-error serverName
defineApp({ mcp: { severName: 'A' } })
const mcp = { paht: '/a' }
// @ts-expect-error in a constant too
defineApp({ mcp })
// @ts-expect-error clientId
defineApp({ providers: { company: { clientID: 'a', clientSecret: 'b' } } })
// @ts-expect-error token
defineApp({ providers: { github: { clientId: 'a', clientSecret: 'b', addresses: { tokn: 'https://a' } } } })
// @ts-expect-error implies
defineApp({ scopes: { a: { text: 'x', implied: [] } } })
// @ts-expect-error scopes
defineApp({ enterprise: [{ provider: 'company', clients: ['*'], scops: [] }] })

const given = { path: '/a' } as const
export const config = defineApp({
  mcp: { ...given, serverName: 'A' },
  parsers: { 'text/csv': () => ({ separator: 1 }) },
  plugins: [[async () => {}, { wings: 2 }]],
  migrations: { '001': { async up() {}, note: 'of the application' } },
  scopes: { a: { text: 'x', implies: ['b'], mayHave: (user) => user.id === 'a' }, b: 'text' },
})
`,
  )
})

t.test('real plugins, their options, hooks without types and migrations fit defineApp', async (t) => {
  fits(
    t,
    `import { type AppPlugin, type CookieOptions, type Controller, defineApp } from 'acmcp'
import { databaseOf, type Migration, rowIdType } from 'acmcp/store'
import cookie, { type SerializeOptions } from '@fastify/cookie'
import session from '@fastify/session'
import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyPluginAsync, FastifyPluginCallback } from 'fastify'
import type { Migration as KyselyMigration } from 'kysely'

const nothing: FastifyPluginAsync = async (app) => { await app.register(cookie) }
const origin: FastifyPluginCallback<{ origin: string }> = (app, { origin }, done) => {
  app.addHook('onSend', async (_request, reply) => { reply.header('access-control-allow-origin', origin) })
  done()
}
const stamp: AppPlugin = (app, _options, done) => {
  app.addHook('onRequest', (request, reply, next) => {
    delete request.headers['x-stamp']
    reply.header('x-method', request.method)
    next()
  })
  app.addHook('onSend', async (_request, reply, payload) => (reply.statusCode === 200 ? payload : null))
  app.addHook('onClose', async () => app.log.info({}, 'closed'))
  done()
}
const notes: Migration = {
  async up(database) {
    await database.schema.createTable('notes').addColumn('id', rowIdType(database)).execute()
  },
}
const kyselys: KyselyMigration = { up: async (database) => void database.schema, down: async () => {} }
const attributes: CookieOptions = { sameSite: 'lax', secure: true, maxAge: 60 }
const serialized: SerializeOptions = attributes

export const config = defineApp({
  plugins: [
    cookie, [cookie, { secret: 'x' }], session, websocket, nothing, origin, [origin, { origin: '*' }], stamp,
    async (app) => void app.addHook('preHandler', async (_request, reply) => reply.code(503).send()),
    async (app: FastifyInstance) => void app.get('/own', async () => ({})),
  ],
  migrations: { '001': notes, '002': kyselys },
  log: { mask: ['pin'], ms: true },
  limits: { bodyBytes: 1, files: 2, tokenPerHour: false },
})
export const textsOf = (controller: Controller): Promise<readonly { text: string }[]> =>
  databaseOf<{ notes: { text: string } }>(controller.services).selectFrom('notes').select('text').execute()
void serialized
`,
  )
})

t.test(
  'what is no plugin, migration, limit or cookie does not compile, nor does the former database',
  async (t) => {
    fits(
      t,
      `import { type Controller, type CookieOptions, defineApp } from 'acmcp'
import { databaseOf } from 'acmcp/store'

// @ts-expect-error a name is no plugin
defineApp({ plugins: ['cookie'] })
// @ts-expect-error a plugin takes Fastify
defineApp({ plugins: [(app: string) => app] })
// @ts-expect-error options are an object
defineApp({ plugins: [[async () => {}, 'options']] })
// @ts-expect-error there is no such hook
defineApp({ plugins: [async (app) => app.addHook('onTea', async () => {})] })
// @ts-expect-error a migration goes up
defineApp({ migrations: { '001': { down: async () => {} } } })
// @ts-expect-error a migration takes a Kysely
defineApp({ migrations: { '001': { up: async (name: string) => void name } } })
// @ts-expect-error a limit is a number
defineApp({ limits: { bodyBytes: '1 MiB' } })
// @ts-expect-error names are a list
defineApp({ log: { mask: 'pin' } })
// @ts-expect-error there are three of them
export const attributes: CookieOptions = { sameSite: 'loose' }
// @ts-expect-error the services have it no more
export const former = (controller: Controller) => controller.services.database
// @ts-expect-error it takes the services, not the controller
export const tables = (controller: Controller) => databaseOf(controller)
`,
    )
  },
)

t.test('databaseOf refuses services that are not a running application’s', async (t) => {
  t.throws(
    () => databaseOf(noServices),
    new Error('databaseOf takes the `services` of a controller, not a copy of them'),
  )
})
