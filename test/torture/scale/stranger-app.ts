/** An application of somebody else: accounts with a counter, notes with a content, its own tables under common names, a filter, an
 *  upload, a Fastify plugin, zod and kysely, and an identity provider. It is built by the command line, in two versions: the second has a
 *  column more. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../../flow/support.ts'
import { buildThere, linkPackage } from '../../support/linked.ts'

export type Version = 1 | 2

const tables = (version: Version): string => `import { createHash } from 'node:crypto'
import type { Services } from 'acmcp'
import { type Database, databaseOf, type Migration } from 'acmcp/store'

export interface Tables {
  accounts: { user_id: string; value: number }
  events: { key: string; user_id: string; value: number${version === 1 ? '' : '; made_by?: string'} }
  files: { digest: string; user_id: string; name: string; content: string }
}

export const tablesOf = (services: Services): Database<Tables> => databaseOf<Tables>(services)

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export const first: Migration = {
  async up(db) {
    await db.schema
      .createTable('accounts')
      .addColumn('user_id', 'text', (column) => column.primaryKey())
      .addColumn('value', 'integer', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('events')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('value', 'integer', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('files')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .execute()
  },
}
${version === 1 ? '' : second}`

const second = `
export const second: Migration = {
  additive: true,
  async up(db) {
    await db.schema
      .alterTable('events')
      .addColumn('made_by', 'text', (column) => column.notNull().defaultTo('the first'))
      .execute()
  },
}
`

const member = `import { ApplicationController, type Header, Unauthorized, type User } from 'acmcp'

/** Whoever has an account. */
export abstract class Member extends ApplicationController {
  #user: User | null = null

  /**
   * Finds out who is asking.
   *
   * @filter before
   */
  async identify(authorization?: Header<'Authorization'>): Promise<void> {
    const token = authorization?.replace(/^Bearer /, '') ?? ''
    this.#user = await this.services.userOfAccessToken(token)
    if (this.#user === null) throw new Unauthorized()
  }

  protected get user(): User {
    if (this.#user === null) throw new Unauthorized()
    return this.#user
  }
}
`

const accounts = (version: Version): string => `import { Conflict, type Int32 } from 'acmcp'
import { z } from 'zod'
import { Member } from '../member.ts'
import { tablesOf } from '../tables.ts'

const Key = z.string().min(8).max(80)

/**
 * The account of whoever asks.
 *
 * @base /api/account
 */
export class Account extends Member {
  /**
   * Tells whose the account is.
   *
   * @get /owner
   */
  owner(): string {
    return this.user.id
  }

  /**
   * Shows the value.
   *
   * @get /
   * @mcp root
   */
  async show(): Promise<Int32> {
    const row = tablesOf(this.services).selectFrom('accounts').select('value').where('user_id', '=', this.user.id)
    return (await row.executeTakeFirst())?.value ?? 0
  }

  /**
   * Adds one, once for each key, and returns the new value.
   *
   * @post /add
   * @param key - of this addition
   * @mcp root
   */
  async add(key: string): Promise<Int32> {
    const user_id = this.user.id
    Key.parse(key)
    return tablesOf(this.services)
      .transaction()
      .execute(async (trx) => {
        const { value } = await trx
          .insertInto('accounts')
          .values({ user_id, value: 1 })
          .onConflict((conflict) =>
            conflict.column('user_id').doUpdateSet((eb) => ({ value: eb('accounts.value', '+', 1) })),
          )
          .returning('value')
          .executeTakeFirstOrThrow()
        const known = await trx.selectFrom('events').${version === 1 ? "select('key')" : 'selectAll()'}.where('key', '=', key).executeTakeFirst()
        if (known !== undefined) throw new Conflict('this key was added before')
        await trx.insertInto('events').values({ key, user_id, value${version === 1 ? '' : ", made_by: 'the second'"} }).execute()
        return value
      })
  }
}
`

const files = `import { NotFound, type Rendered, type UploadedFile } from 'acmcp'
import { Member } from '../member.ts'
import { digestOf, tablesOf } from '../tables.ts'

/**
 * Files.
 *
 * @base /api/files
 */
export class Files extends Member {
  /**
   * Keeps a file, and returns its digest.
   *
   * @post /
   * @param file - whatever it is
   */
  async create(file: UploadedFile): Promise<string> {
    const bytes = await file.bytes()
    const digest = digestOf(bytes)
    await tablesOf(this.services)
      .insertInto('files')
      .values({ digest, user_id: this.user.id, name: file.name, content: Buffer.from(bytes).toString('base64') })
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .execute()
    return digest
  }

  /**
   * Sends a file back.
   *
   * @get /:digest
   * @param digest - of its bytes
   */
  async content(digest: string): Promise<Rendered> {
    const row = await tablesOf(this.services)
      .selectFrom('files')
      .select('content')
      .where('digest', '=', digest)
      .where('user_id', '=', this.user.id)
      .executeTakeFirst()
    if (row === undefined) throw new NotFound('there is no such file')
    return this.render({ body: Buffer.from(row.content, 'base64') })
  }
}
`

const config = (
  issuer: string,
  version: Version,
): string => `import { type AppPlugin, defineApp } from 'acmcp'
import { first${version === 1 ? '' : ', second'} } from './tables.ts'

/** Every answer says which version made it. */
const served: AppPlugin = (app, _options, done) => {
  app.addHook('onRequest', (_request, reply, next) => {
    reply.header('x-served-by', ${version})
    next()
  })
  done()
}

export const config = defineApp({
  mcp: {
    path: '/mcp',
    serverName: 'Accounts',
    authProbe: '/api/account/owner',
    resourceMetadata: (_request, { baseUrl }) => ({ authorizationServers: [baseUrl], scopesSupported: ['api'] }),
  },
  plugins: [served],
  providers: { corp: { issuer: '${issuer}', clientId: 'accounts', clientSecret: 'a secret of the provider' } },
  migrations: { '001_first': first${version === 1 ? '' : ", '002_second': second"} },
  limits: { registerPerHour: false, authorizePerHour: false, tokenPerHour: false, toolCallsPerMinute: false },
})
`

/** Writes it into a new folder, builds it, and returns the folder. */
export function buildStranger(issuer: string, version: Version = 1): string {
  const root = temporaryFolder()
  const sources = {
    'package.json': '{"name":"accounts","version":"1.0.0","license":"MIT","private":true,"type":"module"}',
    'app/config.ts': config(issuer, version),
    'app/tables.ts': tables(version),
    'app/member.ts': member,
    'app/controllers/account.ts': accounts(version),
    'app/controllers/files.ts': files,
  }
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  linkPackage(root, ['kysely', 'zod'])
  buildThere(root)
  return root
}

const bundleIn = (folder: string): string => join(folder, '.acmcp/app.mjs')

/** The build of a folder, to be deployed elsewhere. */
export const buildIn = (folder: string): Buffer => readFileSync(bundleIn(folder))

/** Puts a build in the place of another, for whoever starts from now on. */
export function deploy(folder: string, build: Buffer): void {
  writeFileSync(`${bundleIn(folder)}.new`, build)
  renameSync(`${bundleIn(folder)}.new`, bundleIn(folder))
}
