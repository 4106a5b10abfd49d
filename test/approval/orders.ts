/** An application whose calls a person must approve, and who decides in a test. */

import { loadBundle } from '../../runtime/boot/bundle.ts'
import type { Environment } from '../../runtime/boot/environment.ts'
import type { AppConfig } from '../../runtime/capabilities/exports.ts'
import type { AppBundle } from '../../runtime/contract/bundle.ts'
import { openTestApp, type TestApp, type TestClient } from '../../runtime/testing.ts'
import { builtFolder } from '../support/linked.ts'
import { deskOf } from './desk-of.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  migrations: {
    '0001_entries': {
      up: (database) => database.schema.createTable('entries').addColumn('text', 'text').execute(),
    },
  },
  mcp: { path: '/mcp', serverName: 'Orders', authProbe: '/orders', forwardHeaders: ['x-tenant'] },
})
`

const orders = `import { type Body, Controller, Forbidden, type Header, type UploadedFile } from 'acmcp'

export const ran: string[] = []
export const seen: string[] = []

interface Refund {
  amount: number
  reason?: string
  /** @secret */
  pin?: string
}

/** Orders. */
export class Orders extends Controller {
  /** @filter around except=index,observed */
  async watched(next: () => Promise<void>): Promise<void> {
    try {
      await next()
      seen.push('went on')
    } catch (error) {
      seen.push((error as Error).constructor.name)
      throw error
    }
  }

  /** @filter before */
  async tenant(language?: Header<'X-Language'>): Promise<void> {
    if (language === 'none') throw new Forbidden()
  }

  /** @exception {Error} default */
  broken(error: Error) {
    return this.render({ status: 500, json: { broken: error.message } })
  }

  /**
   * Lists orders.
   *
   * @get /
   */
  index(): string[] { return ran }

  /**
   * What the filter has seen.
   *
   * @get /seen
   * @mcp hide
   */
  observed(): string[] { return seen }

  /**
   * Deletes an order.
   *
   * @delete /:id
   * @approval Delete order {id} and refund {amount}
   * @param id - which one
   * @param amount - in cents
   */
  remove(id: string, amount: number): { removed: string } {
    ran.push(\`remove \${id} \${amount}\`)
    return { removed: id }
  }

  /**
   * Pays back.
   *
   * @post /:id/refund
   * @approval unless=session Refund {amount} of {id}
   * @mcp task
   */
  refund(id: string, refund: Body<Refund>): { refunded: number } {
    ran.push(\`refund \${id} \${refund.amount}\`)
    return { refunded: refund.amount }
  }

  /**
   * Keeps a receipt.
   *
   * @post /receipts
   * @approval Keep {file}
   * @mcp hide
   */
  receipt(file: UploadedFile): { size: number } {
    ran.push(\`receipt \${file.size}\`)
    return { size: file.size }
  }

  /**
   * An order, for the record.
   *
   * @get /:id
   * @approval Read order {id}
   * @mcp resource uri=orders://{id}
   */
  show(id: string): { id: string } {
    ran.push(\`show \${id}\`)
    return { id }
  }

  /**
   * Writes to a buyer.
   *
   * @mcp prompt
   * @approval Write to {buyer}
   */
  letter(buyer: string): string { return \`To \${buyer}\` }
}
`

const ledger = `import { Controller } from 'acmcp'
import { databaseOf } from 'acmcp/store'
import type { Transaction } from 'kysely'

interface Tables {
  entries: { text: string }
}

/** One transaction a request. */
export class Ledger extends Controller {
  private work: Transaction<Tables> | null = null

  /** @filter around only=add */
  async inTransaction(next: () => Promise<void>): Promise<void> {
    await databaseOf<Tables>(this.services)
      .transaction()
      .execute(async (work) => {
        this.work = work
        await work.insertInto('entries').values({ text: 'begun' }).execute()
        await next()
      })
  }

  /**
   * Adds an entry.
   *
   * @post /
   * @approval Add {text}
   * @param text - what it says
   */
  async add(text: string): Promise<void> {
    await this.work?.insertInto('entries').values({ text }).execute()
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

const files: Readonly<Record<string, string>> = {
  'package.json': '{"name":"orders","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/controllers/orders.ts': orders,
  'app/controllers/ledger.ts': ledger,
}

/** Changes the controllers, as a deploy does. */
export type ChangeOrders = (source: string) => string

/** Its folder. */
export const builtOrders = (change: ChangeOrders = (source) => source): Promise<string> =>
  builtFolder({ ...files, 'app/controllers/orders.ts': change(orders) })

export const ada = { id: 'dev:ada', name: 'Ada', email: 'ada@localhost' }
export const bob = { id: 'dev:bob', name: 'Bob', email: 'bob@localhost' }

export interface Opened {
  readonly app: TestApp
  readonly folder: string
  /** With Ada's token. */
  readonly client: TestClient
  readonly token: string
  /** Goes on when a test says so. */
  readonly clock: { now: number }
  /** What the methods have done. */
  ran(): Promise<readonly string[]>
  /** Decides about all that waits; resolves with how many. */
  decide(decision: 'approved' | 'denied', user?: string): Promise<number>
}

export interface OpenOptions {
  readonly config?: Partial<AppConfig>
  readonly databaseUrl?: string
  readonly environment?: Partial<Environment>
  /** Default: nothing is changed. */
  readonly change?: ChangeOrders
  /** Of an application that was open before; default: one of its own. */
  readonly clock?: { now: number }
}

/** The methods' list is the process's: each application reads it from its own bundle. */
export async function openOrders({
  config: more = {},
  databaseUrl,
  environment,
  change,
  clock = { now: Date.parse('2026-11-27T10:00:00Z') },
}: OpenOptions = {}): Promise<Opened> {
  const folder = await builtOrders(change)
  const bundle = await loadBundle(folder)
  const app = await openTestApp({
    cwd: folder,
    clock: () => clock.now,
    change: (): AppBundle => ({ ...bundle, config: { ...Object(bundle.config), ...more } }),
    environment: { ...environment, ...(databaseUrl === undefined ? {} : { databaseUrl }) },
  })
  const token = await app.accessToken(ada)
  const client = app.client().withBearer(token)
  const approvals = deskOf(app.application)
  return {
    app,
    folder,
    client,
    token,
    clock,
    ran: async () => (await client.get('/orders')).json(),
    async decide(decision, user = ada.id) {
      const waiting = (await approvals?.pending(user)) ?? []
      for (const { row } of waiting) {
        const { id, digest } = row
        await approvals?.decide({ id, user, digest, decision, method: 'page', authTime: null })
      }
      return waiting.length
    },
  }
}
