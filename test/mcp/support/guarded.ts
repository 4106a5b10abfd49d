/** A stranger's application that declares scopes: some for a whole class, one lifted, one that few may have, one that a session or a
 *  key makes up for, and one that code asks for. */
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { AppConfig } from '../../../runtime/capabilities/exports.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { openTestApp, type TestApp, type TestClient } from '../../../runtime/testing.ts'
import { builtFolder } from '../../support/linked.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Studio' },
  scopes: {
    'songs:read': 'See your songs',
    'songs:write': { text: 'Change your songs', implies: ['songs:read'] },
    'songs:delete': { text: 'Delete your songs', sensitive: true },
    charts: { text: 'Decide about the charts', mayHave: ({ email }) => email === 'boss@localhost' },
  },
})
`

const songs = `import { Controller, Forbidden, type Header } from 'acmcp'

/**
 * Songs of the signed-in user.
 *
 * @base /songs
 * @scope songs:read
 */
export class Songs extends Controller {
  /**
   * Lists the songs.
   *
   * @get /
   */
  index(): { songs: string[] } { return { songs: ['one'] } }

  /**
   * Says what a song is.
   *
   * @get /meaning
   * @scope none
   */
  meaning(): { meaning: string } { return { meaning: 'sung' } }

  /**
   * Adds a song.
   *
   * @post /
   * @scope songs:write
   */
  create(title: string): { title: string } { return { title } }

  /**
   * Removes a song, and what is left of it where the caller may.
   *
   * @delete /:id
   * @scope songs:write
   */
  delete(id: string, forever: boolean = false): { deleted: string } {
    if (forever) this.requireScopes('songs:delete')
    return { deleted: id }
  }
}

/**
 * The charts.
 *
 * @base /charts
 */
export class Charts extends Controller {
  /** @filter before only=show */
  async known(key?: Header<'X-API-Key', string>): Promise<void> {
    if (key === 'banned') throw new Forbidden('banned')
  }

  /** @exception {Forbidden} 403 */
  forbidden(error: Forbidden): { reason: string } { return { reason: error.message } }

  /**
   * Shows the charts.
   *
   * @get /
   * @scope songs:read unless=session,key
   */
  show(): { charts: string[] } { return { charts: ['one'] } }

  /**
   * Decides who is first.
   *
   * @put /
   * @scope charts
   */
  decide(first: string): { first: string } { return { first } }
}

/**
 * Who asks.
 *
 * @base /people
 */
export class People extends Controller {
  #isSomebody = false

  /** @filter before */
  async somebody(key?: Header<'X-API-Key', string>): Promise<void> {
    this.#isSomebody =
      this.access !== null || key !== undefined || (await this.services.userOfSession(this.request.session)) !== null
  }

  /** @exception {Forbidden} 401 */
  nobody(error: Forbidden): { error: string } { return { error: error.message } }

  /**
   * Says that somebody asks.
   *
   * @get /me
   * @mcp root
   */
  me(): { known: boolean } {
    if (!this.#isSomebody) throw new Forbidden('nobody')
    return { known: true }
  }
}
`

const files: Readonly<Record<string, string>> = {
  'package.json': '{"name":"studio","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/controllers/songs.ts': songs,
}

/** Builds it in a folder of its own, as a user would. */
export async function buildGuarded(): Promise<AppBundle> {
  return loadBundle(await builtFolder(files))
}

export interface GuardedOptions {
  /** Whether the endpoint asks for a credential. */
  readonly isOn?: boolean
  readonly config?: AppConfig
  readonly change?: (bundle: AppBundle) => AppBundle
  readonly clock?: () => number
  readonly baseUrl?: string
}

export interface Guarded {
  readonly app: TestApp
  /** A token of the user that grants what the names come to. */
  readonly tokenOf: (names: string, user?: string) => Promise<string>
  /** Lines of the log with that message. */
  readonly lines: (msg: string) => readonly Readonly<Record<string, unknown>>[]
}

/** Opens it until the end of the test. */
export async function openGuarded(
  t: { teardown(clean: () => Promise<void>): void },
  bundle: AppBundle,
  {
    isOn = true,
    config = {},
    change = (same) => same,
    clock = Date.now,
    baseUrl = 'http://localhost:3000',
  }: GuardedOptions = {},
): Promise<Guarded> {
  const written: string[] = []
  const own = Object(bundle.config)
  const mcp = { ...own.mcp, ...(isOn ? { authProbe: 'people_me', resourceMetadata } : {}), ...config.mcp }
  const app = await openTestApp({
    environment: { logLevel: 'info', baseUrl },
    clock,
    change: () => change({ ...bundle, config: { ...own, ...config, mcp } }),
    logStream: { write: (line) => void written.push(line) },
  })
  t.teardown(app.close)
  const users = new Set<string>()
  const tokenOf = async (names: string, user = 'ada'): Promise<string> => {
    const id = `dev:${user}`
    if (!users.has(id)) await app.client().signIn({ id, name: user, email: `${user}@localhost` })
    users.add(id)
    return (await app.application.developmentToken(id, names)).accessToken
  }
  const lines = (msg: string) => written.map((line) => JSON.parse(line)).filter((line) => line.msg === msg)
  return { app, tokenOf, lines }
}

const resourceMetadata: NonNullable<NonNullable<AppConfig['mcp']>['resourceMetadata']> = (
  _request,
  { baseUrl },
) => ({
  authorizationServers: [baseUrl],
  scopesSupported: ['api'],
})

/** A browser or client that sends the credential: a token, `key`, `session`, or nothing. */
export async function clientWith({ app }: Pick<Guarded, 'app'>, credential: string): Promise<Sender> {
  const client = app.client()
  if (credential === 'session') await client.signIn()
  const headers: Readonly<Record<string, string>> = credential === 'key' ? { 'x-api-key': 'k' } : {}
  const isToken = !['', 'key', 'session'].includes(credential)
  return { client: isToken ? client.withBearer(credential) : client, headers }
}

export interface Sender {
  readonly client: TestClient
  readonly headers: Readonly<Record<string, string>>
}
