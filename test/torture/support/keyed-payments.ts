/** An application that pays when it is called with a key: into a file, a line for each run, which no kill takes back; and into a table of
 *  its own, in the transaction that marks the key. And a client of it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFolder } from '../../support/linked.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  migrations: {
    '0001_paid': {
      up: (database) => database.schema.createTable('paid').addColumn('id', 'text').execute(),
    },
  },
})
`

const payments = `import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { ApplicationController, type Int32 } from 'acmcp'
import { databaseOf } from 'acmcp/store'

interface Tables {
  paid: { id: string }
}

interface Paid {
  paid: string
  run: string
}

/** Payments. */
export class Payments extends ApplicationController {
  /**
   * Pays into a file.
   *
   * @post /file
   * @idempotencyKey required
   * @param id - which one
   * @param ms - how long each half takes
   */
  async intoFile(id: string, ms: Int32): Promise<Paid> {
    await delay(ms)
    appendFileSync('paid.log', \`\${id}\\n\`)
    await delay(ms)
    return { paid: id, run: randomUUID() }
  }

  /**
   * Pays into a table.
   *
   * @post /table
   * @idempotencyKey required transaction
   * @param id - which one
   * @param ms - how long each half takes
   */
  async intoTable(id: string, ms: Int32): Promise<Paid> {
    const answer = { paid: id, run: randomUUID() }
    await databaseOf<Tables>(this.services)
      .transaction()
      .execute(async (work) => {
        await work.insertInto('paid').values({ id }).execute()
        await delay(ms)
        await this.idempotency.in(work, answer)
        await delay(ms)
      })
    return answer
  }

  /**
   * Lists what the table has.
   *
   * @get /table
   */
  async index(): Promise<string[]> {
    const rows = await databaseOf<Tables>(this.services).selectFrom('paid').select('id').execute()
    return rows.map(({ id }) => id)
  }
}
`

export const builtPayments = (): Promise<string> =>
  builtFolder({
    'package.json': '{"name":"payments","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': config,
    'app/controllers/payments.ts': payments,
  })

export type Place = 'file' | 'table'

export interface Payment {
  readonly place: Place
  /** Its key as well. */
  readonly id: string
  readonly ms: number
  /** Whose keys are counted. */
  readonly apiKey: string
}

/** `run`: which run of the method answered; `type`: of a problem. 0 = no answer came. */
export interface Told {
  readonly status: number
  readonly run: string | null
  readonly type: string | null
}

export async function pay(port: number, { place, id, ms, apiKey }: Payment): Promise<Told> {
  try {
    const answer = await fetch(`http://localhost:${port}/payments/${place}`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'idempotency-key': id, 'content-type': 'application/json' },
      body: JSON.stringify({ id, ms }),
    })
    const { run, type } = await answer.json()
    return { status: answer.status, run: run ?? null, type: type ?? null }
  } catch {
    return { status: 0, run: null, type: null }
  }
}

/** How often each was paid. */
export async function paidTimes(port: number, folder: string): Promise<ReadonlyMap<string, number>> {
  const file = join(folder, 'paid.log')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const rows = await (await fetch(`http://localhost:${port}/payments/table`)).json()
  const times = new Map<string, number>()
  for (const id of [...lines, ...rows]) times.set(id, (times.get(id) ?? 0) + 1)
  return times
}
