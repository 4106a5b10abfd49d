/** A stranger's application with limits and times, built as a user would, and a clock that the test moves. */
import type { Test } from 'tap'
import { type Application, createApplication } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { type Era, message } from '../../mcp/support/support.ts'
import { builtFolder } from '../../support/linked.ts'
import { surroundings } from '../../support/surroundings.ts'

const base = `import { Controller, TooManyRequests } from 'acmcp'

/** @limit 3/min */
export abstract class Counted extends Controller {
  /**
   * Says how many there are.
   *
   * @get /count
   */
  count(): { count: number } { return { count: 3 } }
}

/** Its errors are its own. */
export abstract class Worded extends Controller {
  /** @exception {TooManyRequests} 503 */
  tooMany(error: TooManyRequests): { slowDown: number } { return { slowDown: error.retryAfterSeconds } }
}
`

const songs = `import { Controller, Forbidden, TooManyRequests, UploadedFile, type Header } from 'acmcp'
import { Counted, Worded } from '../base.ts'

interface Gates {
  gates?: Record<string, (signal: AbortSignal) => Promise<unknown>>
  seen?: string[]
}
const gates = (): Gates => globalThis as Gates

const wait = (name: string, signal: AbortSignal): Promise<unknown> =>
  gates().gates?.[name]?.(signal) ?? Promise.resolve(null)
const see = (what: string): void => void gates().seen?.push(what)

/** Songs. */
export class Songs extends Counted {
  /** @filter before */
  check(key?: Header<'X-Api-Key'>): void {
    if (key === 'wrong') throw new Forbidden('wrong key')
  }

  /** @exception {Forbidden} 403 */
  forbidden(error: Forbidden): { error: string } { return { error: error.message } }

  /**
   * Shows a song, or the first.
   *
   * @get /show/?:id
   */
  show(id: string = '1'): { id: string } { return { id } }

  /**
   * Adds a song.
   *
   * @post /
   * @limit none
   */
  create(title: string): { title: string } { return { title } }

  /**
   * Deletes a song.
   *
   * @delete /:id
   * @limit 1/h
   */
  remove(id: string): { removed: string } { return { removed: id } }

  /**
   * Speaks of songs.
   *
   * @websocket /talk
   * @limit 1/s
   */
  talk(socket: { close(): void }): void { socket.close() }
}

/** Charts. */
export class Charts extends Worded {
  /**
   * Shows the charts.
   *
   * @get /
   * @limit 1/min
   */
  show(): { charts: string[] } { return { charts: ['one'] } }

  /**
   * Is too much by itself.
   *
   * @get /busy
   */
  busy(): void {
    this.response.set('X-Seen', 'yes')
    throw new TooManyRequests(7)
  }
}

/** Nobody words its errors. */
export class Plain extends Controller {
  /**
   * Is too much by itself.
   *
   * @get /
   */
  busy(): void { throw new TooManyRequests(7) }
}

/** @timeout 30s */
export class Slow extends Controller {
  /** @filter around only=enclosed */
  async around(next: () => Promise<void>): Promise<void> {
    see('before')
    await next()
    see('after')
  }

  /** @filter before only=held */
  async hold(): Promise<void> { await wait('held', this.request.signal) }

  /**
   * Takes its time.
   *
   * @get /
   */
  async index(): Promise<{ done: unknown }> {
    const done = await wait('index', this.request.signal)
    see('index is over')
    return { done }
  }

  /**
   * Never comes to its action.
   *
   * @get /held
   */
  held(): string {
    see('held ran')
    return 'held'
  }

  /**
   * Has something around it.
   *
   * @get /enclosed
   */
  async enclosed(): Promise<string> {
    await wait('enclosed', this.request.signal)
    return 'enclosed'
  }

  /**
   * Takes a file.
   *
   * @post /file
   */
  async take(file: UploadedFile): Promise<string> {
    see(file.path)
    await wait('take', this.request.signal)
    return file.name
  }

  /**
   * Takes shorter.
   *
   * @get /short
   * @timeout 1s
   */
  async short(): Promise<string> {
    await wait('short', this.request.signal)
    return 'short'
  }

  /**
   * Streams as long as it likes.
   *
   * @get /bytes
   */
  bytes(): ReadableStream<Uint8Array> {
    const signal = this.request.signal
    return new ReadableStream({
      async pull(controller) {
        await wait('bytes', signal)
        controller.enqueue(Buffer.from('late'))
        controller.close()
      },
    })
  }

  /**
   * Has all the time.
   *
   * @get /free
   * @timeout none
   */
  async free(): Promise<string> {
    await wait('free', this.request.signal)
    return 'free'
  }
}
`

const files: Readonly<Record<string, string>> = {
  'package.json': '{"name":"studio","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts':
    "import { defineApp } from 'acmcp'\n\nexport const config = defineApp({ mcp: { path: '/mcp', serverName: 'Studio' } })\n",
  'app/base.ts': base,
  'app/controllers/songs.ts': songs,
}

export async function buildStudio(): Promise<AppBundle> {
  return loadBundle(await builtFolder(files))
}

const secret = 'a secret of the test with more than 32 bytes'

/** The first moment of a minute and an hour. */
export const start = 1_800_000_000_000

export interface Requested {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly from?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: string | Buffer
}

/** Status, the seconds of `Retry-After`, body. */
export type Reported = readonly [status: number, retryAfter: string | null, body: unknown]

export interface Studio {
  readonly application: Application
  ask(path: string, requested?: Requested): Promise<Reported>
  /** The text of a tool's result, or what stands in its place. */
  callTool(name: string, args?: object, requested?: Requested & { readonly era?: Era }): Promise<Reported>
  /** The headers of somebody who has a token, or a session. */
  bearer(user: string): Promise<Readonly<Record<string, string>>>
  session(user: string): Promise<Readonly<Record<string, string>>>
  /** Lets seconds pass. */
  advance(seconds: number): Promise<void>
  /** Sets the wall clock so many seconds forward, or back; none pass. */
  setClock(seconds: number): void
  /** Does what is done once a second, now. */
  exchange(): Promise<void>
}

export interface StudioOptions {
  readonly config?: object
  readonly databaseUrl?: string
  readonly production?: boolean
}

/** Opens it until the end of the test. */
export async function openStudio(t: Test, bundle: AppBundle, options: StudioOptions = {}): Promise<Studio> {
  let now = start
  let passedMs = 0
  const ticking = new Set<() => Promise<void>>()
  const around = surroundings('http://localhost:3000', { devLogin: true })
  const { databaseUrl = around.environment.databaseUrl, production = false } = options
  const application = await createApplication(
    { ...bundle, config: { ...Object(bundle.config), ...options.config } },
    {
      ...around,
      environment: {
        ...around.environment,
        databaseUrl,
        production,
        jwtSecrets: [secret],
        devLogin: !production,
      },
      clock: () => now,
      monotonic: () => passedMs,
      every: (everyMs, work) => {
        if (everyMs > 1000) return async () => {} // what keeps the bus alive
        ticking.add(work)
        return async () => void ticking.delete(work)
      },
    },
  )
  t.teardown(() => application.close())
  await application.server.ready()
  const { server, store } = application
  const save = (user: string): Promise<unknown> =>
    store.saveUser({ id: `dev:${user}`, name: user, email: `${user}@localhost` })
  return {
    application,
    ask: async (url, { method = 'GET', from = '192.0.2.1', headers = {}, payload } = {}) => {
      const sent = { method, url, headers, remoteAddress: from }
      const answer = await server.inject(payload === undefined ? sent : { ...sent, payload })
      return [answer.statusCode, retryAfter(answer.headers), bodyOf(answer.body)]
    },
    callTool: async (name, args = {}, { from = '192.0.2.1', headers = {}, era = 'modern' } = {}) => {
      const { headers: own, message: sent } = message(era, 'tools/call', { name, arguments: args })
      const answer = await server.inject({
        method: 'POST',
        url: '/mcp',
        remoteAddress: from,
        headers: {
          host: 'localhost:3000',
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...own,
          ...headers,
        },
        payload: JSON.stringify(sent),
      })
      return [answer.statusCode, retryAfter(answer.headers), resultOf(answer.body)]
    },
    bearer: async (user) => {
      await save(user)
      const { accessToken } = await application.developmentToken(`dev:${user}`, 'api')
      return { authorization: `Bearer ${accessToken}` }
    },
    session: async (user) => {
      await save(user)
      const { cookies } = await server.inject({ url: '/auth/dev', remoteAddress: '192.0.2.200' })
      const [{ name = '', value = '' } = {}] = cookies
      const [id = ''] = value.split('.')
      const session = await store.readSession(id)
      await store.writeSession(id, { ...session, user_id: `dev:${user}` }, now + 86_400_000)
      return { cookie: `${name}=${encodeURIComponent(value)}` }
    },
    exchange: async () => {
      for (const work of ticking) await work()
    },
    setClock: (seconds) => {
      now += 1000 * seconds
    },
    advance: async (seconds) => {
      for (let tenth = 0; tenth < seconds * 10; tenth += 1) {
        now += 100
        passedMs += 100
        for (const work of ticking) await work()
        await new Promise(setImmediate)
      }
    },
  }
}

const retryAfter = (headers: Readonly<Record<string, unknown>>): string | null =>
  headers['retry-after'] === undefined ? null : String(headers['retry-after'])

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Errors begin with `error: `. */
function resultOf(text: string): unknown {
  const { result, error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
  if (result === undefined) return error
  const [{ text: said = '' } = {}] = result.content
  return result.isError === true ? `error: ${said}` : said
}
