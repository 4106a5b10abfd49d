/** An application whose calls may be repeated. */
import { loadBundle } from '../../runtime/boot/bundle.ts'
import type { Environment } from '../../runtime/boot/environment.ts'
import type { AppConfig } from '../../runtime/capabilities/exports.ts'
import type { AppBundle } from '../../runtime/contract/bundle.ts'
import { openTestApp, type TestApp, type TestClient } from '../../runtime/testing.ts'
import { builtFolder } from '../support/linked.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  migrations: {
    '0001_entries': {
      up: (database) => database.schema.createTable('entries').addColumn('text', 'text').execute(),
    },
  },
  scopes: { buy: 'Buy things', pay: 'Pay' },
  mcp: { path: '/mcp', serverName: 'Shop', authProbe: '/orders', forwardHeaders: ['x-tenant'] },
})
`

const orders = `import {
  type Body, Conflict, Controller, type Elicited, type Header, InputRequired, type Rendered, TooManyRequests, type UploadedFile,
} from 'acmcp'

export const ran: string[] = []

interface Order {
  id: string
  amount: number
  at: Date
  /** @secret */
  pin: string
  /** @untrusted */
  note?: string
}

interface Seats { count: number }

/** Orders. */
export class Orders extends Controller {
  /** @filter before except=index */
  async tenant(language?: Header<'X-Language'>): Promise<void> {
    this.response.set('x-filter', language ?? 'none')
    this.response.setCookie('seen', 'yes')
  }

  /** @exception {Conflict} 409 */
  taken(error: Conflict): { taken: string } {
    this.response.set('x-handler', 'yes')
    return { taken: error.message }
  }

  /**
   * Lists what was done.
   *
   * @get /
   */
  index(): string[] { return ran }

  /**
   * Places an order.
   *
   * @post /
   * @returns 201
   * @idempotencyKey
   * @scope buy
   * @mcp brief id
   * @param amount - in cents
   */
  place(amount: number, note?: string): Order {
    ran.push(\`place \${amount}\`)
    this.response.set('Location', \`/orders/\${ran.length}\`)
    this.response.append('Link', '</a>; rel="a"')
    this.response.append('Link', '</b>; rel="b"')
    this.response.setCookie('cart', 'empty')
    return { id: \`order-\${ran.length}\`, amount, at: new Date(0), pin: '1234', ...(note === undefined ? {} : { note }) }
  }

  /**
   * Changes an order.
   *
   * @patch /:id
   * @idempotencyKey required
   */
  change(id: string, amount: number): { id: string; amount: number } {
    ran.push(\`change \${id} \${amount}\`)
    return { id, amount }
  }

  /**
   * Ends in many ways.
   *
   * @post /end
   * @idempotencyKey
   */
  async end(how: string): Promise<{ ended: string } | Rendered | undefined> {
    ran.push(\`end \${how}\`)
    if (how === 'conflict') throw new Conflict('gone')
    if (how === 'boom') throw new Error('boom')
    if (how === 'scope') this.requireScopes('pay')
    if (how === 'limit') throw new TooManyRequests(7)
    if (how === 'nothing') return undefined
    if (how === 'text') return this.render({ status: 202, text: 'done', headers: { 'x-own': 'yes' } })
    if (how === 'bytes') return this.render({ body: Buffer.from([1, 2, 255]), contentType: 'application/x-own' })
    if (how === 'head') return this.head(204)
    if (how === 'redirect') return this.redirectTo('/elsewhere', 303)
    if (how === 'stream') return this.render({ status: 201, body: new Blob(['streamed']).stream() })
    if (how === 'large') return { ended: 'x'.repeat(300_000) }
    if (how === 'held') await Reflect.get(globalThis, 'held')()
    return { ended: how }
  }

  /**
   * Asks a person first.
   *
   * @post /approved
   * @idempotencyKey
   * @approval Buy {what}
   */
  approved(what: string): { bought: string } {
    ran.push(\`approved \${what}\`)
    return { bought: what }
  }

  /**
   * Asks how many.
   *
   * @post /seats
   * @idempotencyKey
   */
  seats(room: string, seats?: Elicited<Seats>): { seats: number } {
    if (seats === undefined) throw new InputRequired({ seats: 'How many?' })
    ran.push(\`seats \${room} \${seats.count}\`)
    return { seats: seats.count }
  }

  /**
   * Takes long.
   *
   * @post /task
   * @idempotencyKey
   * @mcp task
   */
  task(name: string): { made: string } {
    ran.push(\`task \${name}\`)
    return { made: name }
  }

  /**
   * Keeps a receipt.
   *
   * @post /receipts
   * @idempotencyKey
   * @mcp hide
   */
  receipt(file: UploadedFile): { size: number } {
    ran.push(\`receipt \${file.size}\`)
    return { size: file.size }
  }

  /**
   * Takes a body.
   *
   * @post /bodies
   * @idempotencyKey
   * @timeout 1s
   */
  async bodies(order: Body<{ name: string; wait?: boolean }>): Promise<{ name: string }> {
    ran.push(\`bodies \${order.name}\`)
    if (order.wait === true) await Reflect.get(globalThis, 'held')()
    return { name: order.name }
  }
}
`

const ledger = `import { ApplicationController, Conflict } from 'acmcp'
import { databaseOf } from 'acmcp/store'
import type { Transaction } from 'kysely'

interface Tables {
  entries: { text: string }
}

/** One transaction a request. */
export class Ledger extends ApplicationController {
  private work: Transaction<Tables> | null = null

  /** @exception {Conflict} 409 */
  conflict(error: Conflict): { conflict: string } { return { conflict: error.message } }

  /** @filter around only=add,swallowed */
  async inTransaction(next: () => Promise<void>): Promise<void> {
    await databaseOf<Tables>(this.services)
      .transaction()
      .execute(async (work) => {
        this.work = work
        await next()
        if (Reflect.get(globalThis, 'commit') === 'fails') throw new Conflict('not committed')
      })
  }

  /**
   * Adds an entry.
   *
   * @post /
   * @idempotencyKey
   */
  async add(text: string): Promise<{ added: string }> {
    await this.work?.insertInto('entries').values({ text }).execute()
    return { added: text }
  }

  /**
   * Adds one that its user approves.
   *
   * @post /approved
   * @idempotencyKey
   * @approval Add {text}
   */
  async swallowed(text: string): Promise<{ added: string }> {
    await this.work?.insertInto('entries').values({ text }).execute()
    return { added: text }
  }

  /**
   * Pays, in one transaction.
   *
   * @post /pay
   * @idempotencyKey transaction
   */
  async pay(text: string, how?: string): Promise<{ paid: string }> {
    const answer = { paid: text }
    if (how === 'early') return answer
    if (how === 'held') await Reflect.get(globalThis, 'held')()
    await databaseOf<Tables>(this.services)
      .transaction()
      .execute(async (work) => {
        await work.insertInto('entries').values({ text }).execute()
        if (how === 'inside') await Reflect.get(globalThis, 'held')()
        if (how !== 'unmarked') await this.idempotency.in(work, answer)
        if (how === 'marked') await Reflect.get(globalThis, 'held')()
        if (how === 'back') throw new Conflict('taken back')
      })
    if (how === 'after') throw new Error('after the commit')
    return answer
  }

  /**
   * Lists them.
   *
   * @get /
   */
  async index(): Promise<string[]> {
    const rows = await databaseOf<Tables>(this.services).selectFrom('entries').select('text').execute()
    return rows.map(({ text }) => text)
  }
}
`

const open = `import { Controller } from 'acmcp'

/** For everybody. */
export class Open extends Controller {
  /**
   * Says hello.
   *
   * @post /
   * @idempotencyKey
   */
  hello(name: string): { hello: string } { return { hello: name } }
}
`

const caught = `import { Controller } from 'acmcp'

/** Answers whatever fails. */
export class Caught extends Controller {
  /** @exception {Error} 500 */
  any(error: Error): { caught: string } { return { caught: error.name } }

  /**
   * Works.
   *
   * @post /
   * @idempotencyKey
   * @mcp hide
   */
  async work(text: string): Promise<{ done: string }> {
    await Reflect.get(globalThis, 'held')()
    return { done: text }
  }
}
`

const files: Readonly<Record<string, string>> = {
  'package.json': '{"name":"shop","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/controllers/orders.ts': orders,
  'app/controllers/ledger.ts': ledger,
  'app/controllers/open.ts': open,
  'app/controllers/caught.ts': caught,
}

/** Changes the controllers of orders, as a deploy does. */
export type ChangeShop = (source: string) => string

/** Its folder. */
export const builtShop = (change: ChangeShop = (source) => source): Promise<string> =>
  builtFolder({ ...files, 'app/controllers/orders.ts': change(orders) })

export const ada = { id: 'dev:ada', name: 'Ada', email: 'ada@localhost' }
export const bob = { id: 'dev:bob', name: 'Bob', email: 'bob@localhost' }

export type Answer = Awaited<ReturnType<TestClient['request']>>

export interface Opened {
  readonly app: TestApp
  /** With Ada's token. */
  readonly client: TestClient
  readonly token: string
  /** Goes on when a test says so. */
  readonly clock: { now: number }
  /** What the methods have done since the application was opened. */
  ran(): Promise<readonly string[]>
  /** With a key; by Ada's client unless told otherwise. */
  post(url: string, body: unknown, key?: string | null, client?: TestClient): Promise<Answer>
}

interface OpenOptions {
  readonly config?: Partial<AppConfig>
  readonly environment?: Partial<Environment>
  readonly change?: ChangeShop
  readonly clock?: { now: number }
}

export async function openShop({
  config: more = {},
  environment,
  change,
  clock = { now: Date.parse('2026-11-27T10:00:00Z') },
}: OpenOptions = {}): Promise<Opened> {
  const folder = await builtShop(change)
  const bundle = await loadBundle(folder)
  const app = await openTestApp({
    cwd: folder,
    clock: () => clock.now,
    change: (): AppBundle => ({ ...bundle, config: { ...Object(bundle.config), ...more } }),
    ...(environment === undefined ? {} : { environment }),
  })
  const token = await app.accessToken(ada)
  const client = app.client().withBearer(token)
  const before = (await client.get('/orders')).json().length
  return {
    app,
    client,
    token,
    clock,
    ran: async () => (await client.get('/orders')).json().slice(before),
    post: (url, body, key = 'k', by = client) =>
      (key === null ? by : by.withHeaders({ 'idempotency-key': key })).json(url, body),
  }
}
