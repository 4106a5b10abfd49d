/** An application whose tools become tasks, and that writes down each run of a route in a table of its own. */
import { builtFolder } from '../../support/linked.ts'

const tables = `import type { Services } from 'acmcp'
import { type Database, databaseOf, type Migration } from 'acmcp/store'

export interface Tables {
  runs: { id: string; job: string; pid: number; state: string }
}

export const tablesOf = (services: Services): Database<Tables> => databaseOf<Tables>(services)

export const first: Migration = {
  async up(db) {
    await db.schema
      .createTable('runs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('job', 'text', (column) => column.notNull())
      .addColumn('pid', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .execute()
  },
}
`

const config = `import { defineApp } from 'acmcp'
import { first } from './tables.ts'

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Jobs', authProbe: '/jobs/me' },
  migrations: { '001_first': first },
  limits: {
    registerPerHour: false, authorizePerHour: false, tokenPerHour: false, toolCallsPerMinute: false,
    concurrentTasks: false, tasksPerUser: false, keptTasksPerUser: false,
  },
})
`

const jobs = `import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ApplicationController, InputRequired, type Int32, Unauthorized } from 'acmcp'
import { tablesOf } from '../tables.ts'

const amountSchema = { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] } as const

/**
 * Jobs that take long.
 *
 * @base /jobs
 */
export class Jobs extends ApplicationController {
  /**
   * Makes something, once.
   *
   * @post /make
   * @mcp task
   * @param job - its number
   * @param ms - how long it takes
   */
  make(job: string, ms: Int32): Promise<string> { return this.work(job, ms) }

  /**
   * Makes something, again and again to the same.
   *
   * @post /remake
   * @mcp task idempotent
   * @param job - its number
   * @param ms - how long it takes
   */
  remake(job: string, ms: Int32): Promise<string> { return this.work(job, ms) }

  /**
   * Pays, when its user says how much.
   *
   * @post /pay
   * @mcp task
   * @param job - its number
   * @param ms - how long it takes
   */
  pay(job: string, ms: Int32): Promise<string> {
    const amount = this.mcp?.answerTo('amount') ?? null
    if (amount === null) throw new InputRequired({ amount: { message: 'How much?', schema: amountSchema } })
    return this.work(job, ms)
  }

  /**
   * Lists all runs.
   *
   * @get /runs
   * @mcp hide
   */
  runs(): Promise<{ job: string; pid: number; state: string }[]> {
    return tablesOf(this.services).selectFrom('runs').select(['job', 'pid', 'state']).execute()
  }

  /**
   * Says who asks.
   *
   * @get /me
   * @mcp hide
   */
  me(): { id: string } {
    if (this.access === null) throw new Unauthorized('sign in')
    return { id: this.access.user.id }
  }

  private async work(job: string, ms: number): Promise<string> {
    const id = randomUUID()
    await tablesOf(this.services).insertInto('runs').values({ id, job, pid: process.pid, state: 'begun' }).execute()
    try {
      await delay(ms, null, { signal: this.request.signal })
    } catch (error) {
      await this.became(id, 'stopped')
      throw error
    }
    await this.became(id, 'ended')
    return job + ' is done'
  }

  private async became(id: string, state: string): Promise<void> {
    await tablesOf(this.services).updateTable('runs').set({ state }).where('id', '=', id).execute()
  }
}
`

/** Builds it in a folder of its own, and returns the folder. */
export const buildCountedJobs = (): Promise<string> =>
  builtFolder({
    'package.json': '{"name":"jobs","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': config,
    'app/tables.ts': tables,
    'app/controllers/jobs.ts': jobs,
  })

/** One run of a route, as the application wrote it down. */
export interface Run {
  readonly job: string
  readonly pid: number
  readonly state: 'begun' | 'ended' | 'stopped'
}
