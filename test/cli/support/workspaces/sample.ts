/** An application that imports values, types, error classes, schemas, tables and base controllers from its neighbours: one in
 *  TypeScript, one compiled. */
import type { Files } from '../memory-host.ts'
import type { Declared } from './layout.ts'

export const api = 'apps/api'

const settings = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  },
  include: ['app', 'generated'],
}

const application: Files = {
  'apps/api/package.json': JSON.stringify({
    name: 'api',
    version: '1.0.0',
    type: 'module',
    dependencies: { acmcp: '*', '@acme/shared': '*', '@acme/compiled': '*' },
  }),
  'apps/api/tsconfig.json': JSON.stringify(settings),
  'apps/api/app/config.ts': `import { itemsTable } from '@acme/shared'
import { defineApp } from 'acmcp'

export const config = defineApp({ mcp: { path: '/mcp', serverName: 'Shop', forwardHeaders: ['x-caller'] }, migrations: { '001_items': itemsTable } })
`,
  'apps/api/app/controllers/items.ts': `import { Closed, type Receipt } from '@acme/compiled'
import { Gone, greeting, itemsOf, type Item, type NewItem, Shared } from '@acme/shared'
import type { Body, Checked } from 'acmcp'

/**
 * Items of the shop.
 *
 * @base /items
 */
export class Items extends Shared {
  /**
   * Says what the shop says.
   *
   * @get /greeting
   */
  greeting(): string {
    return \`\${greeting} \${this.caller}\`
  }

  /**
   * Lists items.
   *
   * @get /
   */
  index(): Promise<Item[]> {
    return itemsOf(this.services)
  }

  /**
   * Adds an item.
   *
   * @post /
   * @param item - what to add
   */
  create(item: Body<Checked<typeof NewItem>>): { readonly name: string } {
    return { name: item.name.trim() }
  }

  /**
   * Buys an item.
   *
   * @get /:id/receipt
   * @param id - which
   */
  buy(id: number): Receipt {
    if (id === 1) throw new Gone('sold')
    throw new Closed('come back tomorrow')
  }

  /**
   * An item is sold, or nobody is there.
   *
   * @exception {Gone} 410
   * @exception {Closed} 503
   */
  refuse(error: Gone | Closed): { readonly why: string } {
    return { why: error.message }
  }
}
`,
  'apps/api/app/controllers/desk.ts': `import { Counter } from '@acme/compiled'

/**
 * Who is where in the shop.
 *
 * @base /desk
 */
export class Desk extends Counter {
  /**
   * Says who is at the desk.
   *
   * @get /
   */
  show(): string {
    return this.clerk
  }
}
`,
}

const shared: Files = {
  'packages/shared/package.json': JSON.stringify({
    name: '@acme/shared',
    version: '1.0.0',
    type: 'module',
    exports: './src/index.ts',
    dependencies: { kysely: '*', zod: '*' },
    peerDependencies: { acmcp: '*' },
  }),
  'packages/shared/tsconfig.json': JSON.stringify({ ...settings, include: ['src'] }),
  'packages/shared/src/index.ts': `export * from './base.ts'
export * from './errors.ts'
export * from './items.ts'
export const greeting: string = 'hello'
`,
  'packages/shared/src/errors.ts': `/** It was there once. */
export class Gone extends Error {}

export class Locked extends Error {}
`,
  'packages/shared/src/base.ts': `import { ApplicationController, type Header } from 'acmcp'
import { Locked } from './errors.ts'

/** What every controller of the company does. */
export abstract class Shared extends ApplicationController {
  protected caller = ''

  /**
   * Asks who calls.
   *
   * @filter before
   */
  ask(who: Header<'X-Caller'> = 'you'): void {
    if (who === 'nobody') throw new Locked('not you')
    this.caller = who
  }

  /**
   * A door is locked.
   *
   * @exception {Locked} 423
   */
  locked(error: Locked): { readonly locked: string } {
    return { locked: error.message }
  }
}
`,
  'packages/shared/src/items.ts': `import type { Services } from 'acmcp'
import { databaseOf, type Migration } from 'acmcp/store'
import { sql } from 'kysely'
import { z } from 'zod'

export const NewItem = z.object({ name: z.string().min(2) })

export interface Item {
  readonly id: number
  readonly name: string
}

interface Tables {
  readonly items: Item
}

export const itemsTable: Migration = {
  async up(db) {
    await db.schema.createTable('items').addColumn('id', 'integer').addColumn('name', 'text').execute()
    await sql\`insert into items (id, name) values (1, 'pen')\`.execute(db)
  },
}

export const itemsOf = (services: Services): Promise<Item[]> =>
  databaseOf<Tables>(services).selectFrom('items').selectAll().execute()
`,
}

const compiled: Files = {
  'packages/compiled/package.json': JSON.stringify({
    name: '@acme/compiled',
    version: '1.0.0',
    type: 'module',
    exports: { types: './dist/index.d.ts', default: './dist/index.js' },
    peerDependencies: { acmcp: '*' },
  }),
  'packages/compiled/dist/index.js': `import { ApplicationController } from 'acmcp'
export class Closed extends Error {}
export class Counter extends ApplicationController {
  clerk = 'nobody'
  async enter() { this.clerk = 'Ann' }
}
`,
  'packages/compiled/dist/index.d.ts': `import { ApplicationController } from 'acmcp'
/** Nobody is there. */
export declare class Closed extends Error {}
export interface Receipt {
  readonly total: number
}
/** Who is at the counter. */
export declare abstract class Counter extends ApplicationController {
  protected clerk: string
  /**
   * Looks who is there.
   *
   * @filter before
   */
  enter(): Promise<void>
}
`,
}

/** By path below the repository. */
export const shopFiles: Files = { ...application, ...shared, ...compiled }

export const shopDeclares: Declared = {
  'apps/api': ['acmcp', '@acme/shared', '@acme/compiled', '@types/node', 'zod', 'typescript'],
  'packages/shared': ['acmcp', 'zod', 'kysely', '@types/node'],
  'packages/compiled': ['acmcp'],
}
