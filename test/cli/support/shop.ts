/** A shop with filters, handlers, tools of several kinds and users, built in a folder of its own. */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import type { Test } from 'tap'
import { copiesOfBuilt, type Ran } from './built-app.ts'

const main = resolve(import.meta.dirname, '../../../cli/main.js')

const config = `import { type AppConfig, defineApp } from 'acmcp'
export const config: AppConfig = defineApp({ mcp: { authProbe: '/api/who' } })
`

const protectedController = `import type { Header, User } from 'acmcp'
import { ApplicationController, Unauthorized } from 'acmcp'

export abstract class Protected extends ApplicationController {
  #user: User | null = null

  /**
   * Finds out who asks.
   *
   * @filter before
   */
  async signIn(authorization?: Header<'Authorization'>): Promise<void> {
    this.#user = await this.services.userOfAccessToken((authorization ?? '').replace('Bearer ', ''))
    if (this.#user === null) throw new Unauthorized()
  }

  protected get user(): User {
    if (this.#user === null) throw new Unauthorized()
    return this.#user
  }
}
`

const orders = `import { CommonResponse } from 'acmcp'
import { Protected } from '../protected.ts'

export class SoldOut extends Error {}

/** What was ordered. */
export interface Order {
  readonly code: string
  readonly amount: number
  readonly tags: string[]
  readonly note: string | null
}

/**
 * Orders of the shop.
 *
 * @base /api
 */
export class Orders extends Protected {
  /**
   * Tells who asks.
   *
   * @get /who
   * @mcp root
   */
  who(): { id: string; name: string } {
    return { id: this.user.id, name: this.user.name }
  }

  /**
   * Orders something.
   *
   * @post /orders
   * @param code - the article
   * @param amount - how many pieces
   */
  create(code: string, amount: number, tags: string[] = [], note: string | null = null): Order {
    if (amount > 5) throw new SoldOut('only 5 are left')
    return { code, amount, tags, note }
  }

  /**
   * There is too little of it.
   *
   * @exception {SoldOut} 409
   */
  soldOut(error: SoldOut): CommonResponse {
    return new CommonResponse(error, { backtrace: false })
  }
}
`

const health = `import { ApplicationController } from 'acmcp'

if (process.env['SAYS'] !== undefined) console.log(process.env['SAYS'])
if (process.env['KEEPS_RUNNING'] === '1') setInterval(() => {}, 60_000)

/**
 * For load balancers.
 *
 * @base /up
 * @mcp hide
 */
export class Up extends ApplicationController {
  /**
   * Says that the server answers.
   *
   * @get /
   */
  show(): { status: 'ok' } {
    return { status: 'ok' }
  }
}
`

/** A folder of the built shop. */
export const shopIn: (t: Test) => Promise<string> = copiesOfBuilt({
  'app/config.ts': config,
  'app/protected.ts': protectedController,
  'app/controllers/orders.ts': orders,
  'app/controllers/up.ts': health,
})

/** Runs the command line there with these variables and no others of ours. */
export function acmcpWith(
  cwd: string,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}
