/** An application that is attacked by its keys. */
import { loadBundle } from '../../runtime/boot/bundle.ts'
import type { Environment } from '../../runtime/boot/environment.ts'
import type { AppConfig } from '../../runtime/capabilities/exports.ts'
import type { AppBundle } from '../../runtime/contract/bundle.ts'
import { openTestApp, type TestApp, type TestClient } from '../../runtime/testing.ts'
import { madeSource } from '../approval/made-values.ts'
import { builtFolder } from '../support/linked.ts'
import { type Answer, ada } from './shop.ts'

const config = `import { defineApp } from 'acmcp'
import { parseMade } from './made.ts'

export const config = defineApp({
  parsers: { 'text/x-made': parseMade },
  migrations: {
    '0001_entries': {
      up: (database) => database.schema.createTable('entries').addColumn('text', 'text').execute(),
    },
  },
  scopes: { buy: 'Buy things', pay: 'Pay' },
  mcp: { path: '/mcp', serverName: 'Target' },
  responders: { 'text/csv': (value) => String(Reflect.get(Object(value), 'own') ?? 'nothing') },
})
`

const targets = `import { type Body, Conflict, Controller, type Elicited, type Header, InputRequired, NotFound, type Rendered } from 'acmcp'
import { databaseOf } from 'acmcp/store'
import { NotFound as OtherNotFound } from '../other.ts'

const ran: string[] = []

interface Tables { entries: { text: string } }
interface Seats { count: number }


/** Kept where its time is known. */
interface Dated { when: Date
  /** @secret */
  pin: string }
interface Worded { when: string; pin: string }
class Circle { own = 'own'; self: unknown = this }

/** Targets. */
export class Targets extends Controller {
  /** @exception {NotFound} 404 */
  missing(error: NotFound): { missing: string } { return { missing: error.message } }

  /** @exception {OtherNotFound} 404 */
  otherMissing(error: OtherNotFound): { missing: string;
    /** @secret */
    pin?: string } { return { missing: 'other', pin: error.pin } }

  /**
   * What was done.
   *
   * @get /
   */
  index(): string[] { return ran }

  /**
   * For whom a gateway calls.
   *
   * @post /gateway
   * @idempotencyKey
   * @mcp hide
   */
  gateway(user: Header<'X-Forwarded-User'>, what: string): { user: string; what: string } {
    ran.push(\`gateway \${user} \${what}\`)
    return { user, what }
  }

  /**
   * Bytes.
   *
   * @post /bytes
   * @produces image/png
   * @idempotencyKey
   */
  bytes(what: string): Uint8Array { ran.push(\`bytes \${what}\`); return new Uint8Array([1, 2, 255]) }

  /**
   * A circle, which only its own format takes.
   *
   * @post /circle
   * @produces text/csv
   * @idempotencyKey
   */
  circle(what: string): unknown { ran.push(\`circle \${what}\`); return new Circle() }

  /**
   * One of two.
   *
   * @post /either
   * @idempotencyKey
   */
  either(how: string): Dated | Worded {
    ran.push(\`either \${how}\`)
    return how === 'dated' ? { when: new Date(0), pin: '1234' } : { when: 'now', pin: 'open' }
  }

  /**
   * Does not find it.
   *
   * @post /lost
   * @idempotencyKey
   */
  lost(how: string): string {
    ran.push(\`lost \${how}\`)
    if (how === 'other') throw new OtherNotFound()
    throw new NotFound('it')
  }

  /**
   * Anything.
   *
   * @post /any
   * @idempotencyKey
   */
  any(value: Body<unknown>): unknown { ran.push('any'); return value }

  /**
   * A big one.
   *
   * @post /big
   * @idempotencyKey
   */
  big(): { n: bigint; m: Map<string, number>; b: Uint8Array } {
    ran.push('big')
    return { n: 9007199254740993n, m: new Map([['a', 1]]), b: new Uint8Array([1]) }
  }

  /**
   * Waits.
   *
   * @post /wait
   * @idempotencyKey
   */
  async wait(what: string): Promise<{ waited: string }> {
    ran.push(\`wait \${what}\`)
    await Reflect.get(globalThis, 'held')?.()
    return { waited: what }
  }

  /**
   * Asks for a scope by itself.
   *
   * @post /dynamic
   * @idempotencyKey
   * @scope buy
   */
  dynamic(what: string): { secret: string } {
    this.requireScopes('pay')
    ran.push(\`dynamic \${what}\`)
    return { secret: what }
  }

  /**
   * With a segment that may be left out.
   *
   * @post /items/?:kind
   * @idempotencyKey
   */
  items(kind?: string, what?: string): { kind: string } {
    ran.push(\`items \${kind} \${what}\`)
    return { kind: kind ?? 'none' }
  }

  /**
   * Asks how many.
   *
   * @post /seats
   * @idempotencyKey
   */
  async seats(room: string, seats?: Elicited<Seats>): Promise<{ seats: number }> {
    if (seats === undefined) throw new InputRequired({ seats: 'How many?' })
    ran.push(\`seats \${room} \${seats.count}\`)
    return { seats: seats.count }
  }

  /**
   * Marks in many ways.
   *
   * @post /mark
   * @idempotencyKey transaction
   */
  async mark(how: string): Promise<{ marked: string }> {
    ran.push(\`mark \${how}\`)
    const database = databaseOf<Tables>(this.services)
    const answer = { marked: how }
    if (how === 'outside') {
      await database.transaction().execute(async (work) => {
        await work.insertInto('entries').values({ text: how }).execute()
      })
      await this.idempotency.in(database, answer)
      throw new Error('after')
    }
    if (how === 'ended') {
      let kept: object = database
      await database.transaction().execute(async (work) => {
        kept = work
        await work.insertInto('entries').values({ text: how }).execute()
      })
      await this.idempotency.in(kept, answer)
    }
    if (how === 'twice') {
      await database.transaction().execute(async (work) => {
        await work.insertInto('entries').values({ text: how }).execute()
        await this.idempotency.in(work, answer)
        await this.idempotency.in(work, answer)
      })
    }
    if (how === 'shape') {
      await database.transaction().execute(async (work) => {
        await this.idempotency.in(work, { other: 'shape', toJSON: () => { throw new Error('no JSON') } })
      })
    }
    if (how === 'foreign') await this.idempotency.in({}, answer)
    return answer
  }
}
`

const enclosed = `import { Controller } from 'acmcp'

const inside: string[] = []

/** Enclosed. */
export class Enclosed extends Controller {
  /** @filter around only=run,approved */
  async hasty(next: () => Promise<void>) {
    const running = next()
    running.catch(() => {})
    const first = await Promise.race([running.then(() => 'ran'), Reflect.get(globalThis, 'impatient') ?? running])
    if (first === 'late') return this.render({ status: 504, json: { late: true } })
  }

  /** @filter before only=run,approved */
  early(): unknown { return Reflect.get(globalThis, 'beforeMethod')?.() }

  /**
   * What was done.
   *
   * @get /
   */
  index(): string[] { return inside }

  /**
   * Runs.
   *
   * @post /run
   * @idempotencyKey
   */
  async run(what: string): Promise<{ run: string }> {
    inside.push(\`run \${what}\`)
    await Reflect.get(globalThis, 'held')?.()
    return { run: what }
  }

  /**
   * Runs when approved.
   *
   * @post /approved
   * @idempotencyKey
   * @approval Run {what}
   */
  async approved(what: string): Promise<{ run: string }> {
    inside.push(\`approved \${what}\`)
    await Reflect.get(globalThis, 'held')?.()
    return { run: what }
  }
}
`

const ordered = `import { ApplicationController, Conflict, type Header, type Int32, NotFound } from 'acmcp'

const log: string[] = []

/** Everything that can refuse a call. */
export class Ordered extends ApplicationController {
  /** @filter around only=act */
  async around(next: () => Promise<void>, say?: Header<'X-Around'>) {
    log.push('around')
    if (say === 'no') throw new Conflict('around')
    try {
      await next()
    } catch (error) {
      log.push((error as Error).constructor.name)
      if (say === 'mine') return this.render({ json: 'mine' })
      throw error
    }
  }

  /** @filter before only=act */
  early(say?: Header<'X-Before'>): void {
    log.push('before')
    if (say === 'no') throw new NotFound('before')
  }

  /**
   * What was done since this was asked.
   *
   * @get /
   */
  index(): string[] { return log.splice(0) }

  /**
   * Acts.
   *
   * @post /
   * @scope pay
   * @limit 20/h
   * @idempotencyKey required
   * @approval Act {count} times
   */
  act(count: Int32): { acted: number } {
    log.push('acted')
    return { acted: count }
  }
}
`

const files: Readonly<Record<string, string>> = {
  'package.json': '{"name":"target","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/made.ts': madeSource,
  'app/other.ts': "export class NotFound extends Error { pin = '1234' }\n",
  'app/controllers/targets.ts': targets,
  'app/controllers/enclosed.ts': enclosed,
  'app/controllers/ordered.ts': ordered,
}

export interface Target {
  readonly app: TestApp
  /** With Ada's token. */
  readonly client: TestClient
  readonly clock: { now: number }
  ran(): Promise<readonly string[]>
  post(url: string, body: unknown, key?: string, client?: TestClient): Promise<Answer>
}

export interface TargetOptions {
  readonly config?: Partial<AppConfig>
  readonly environment?: Partial<Environment>
}

export async function openTarget({
  config: more = {},
  environment = {},
}: TargetOptions = {}): Promise<Target> {
  const folder = await builtFolder(files)
  const bundle = await loadBundle(folder)
  const clock = { now: Date.parse('2026-11-27T10:00:00Z') }
  const app = await openTestApp({
    cwd: folder,
    clock: () => clock.now,
    change: (): AppBundle => ({ ...bundle, config: { ...Object(bundle.config), ...more } }),
    environment,
  })
  const client = app.client().withBearer(await app.accessToken(ada))
  const before = (await client.get('/targets')).json().length
  return {
    ...{ app, client, clock },
    ran: async () => (await client.get('/targets')).json().slice(before),
    post: (url, body, key = 'k', by = client) => by.withHeaders({ 'idempotency-key': key }).json(url, body),
  }
}
