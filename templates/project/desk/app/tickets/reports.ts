/** Numbers of the desk: counted by the database, whichever it is. */
import type { DeskDatabase, Tables } from '../database/tables.ts'
import type { Storage, Summary, Workload } from '../model/report.ts'
import { Priority, type TicketStatus } from '../model/ticket.ts'

export interface Period {
  readonly from: Date
  /** This moment is not part of it. */
  readonly to: Date
}

export async function summaryOf(database: DeskDatabase, { from, to }: Period): Promise<Summary> {
  const [begin, end] = [from.getTime(), to.getTime()]
  const opened = await database
    .selectFrom('tickets')
    .where('opened_at', '>=', begin)
    .where('opened_at', '<', end)
    .groupBy(['status', 'priority'])
    .select((eb) => ['status', 'priority', eb.fn.countAll<number>().as('count')])
    .execute()
  const { closed } = await database
    .selectFrom('tickets')
    .where('closed_at', '>=', begin)
    .where('closed_at', '<', end)
    .select((eb) => eb.fn.countAll<number>().as('closed'))
    .executeTakeFirstOrThrow()
  const { bytes } = await database
    .selectFrom('attachments')
    .where('uploaded_at', '>=', begin)
    .where('uploaded_at', '<', end)
    .select((eb) => eb.fn.sum('bytes').as('bytes'))
    .executeTakeFirstOrThrow()
  const countOf = (isCounted: (row: (typeof opened)[number]) => boolean): number =>
    opened.filter(isCounted).reduce((sum, { count }) => sum + count, 0)
  const byStatus = (status: TicketStatus): number => countOf((row) => row.status === status)
  const byPriority = (priority: Priority): number => countOf((row) => row.priority === priority)
  return {
    from,
    to,
    opened: countOf(() => true),
    closed,
    byStatus: {
      new: byStatus('new'),
      open: byStatus('open'),
      waiting: byStatus('waiting'),
      closed: byStatus('closed'),
    },
    byPriority: {
      low: byPriority(Priority.Low),
      normal: byPriority(Priority.Normal),
      high: byPriority(Priority.High),
      urgent: byPriority(Priority.Urgent),
    },
    attachedBytes: BigInt(bytes ?? 0),
  }
}

/** What each agent has to do, of one team or of all; the busiest first. */
export async function workloads(database: DeskDatabase, team: string | null): Promise<Workload[]> {
  const agents = await database
    .selectFrom('users')
    .where('role', 'in', ['agent', 'admin'])
    .$if(team !== null, (all) =>
      all.where(
        'id',
        'in',
        database
          .selectFrom('members')
          .select('user_id')
          .where('team', '=', team ?? ''),
      ),
    )
    .select((eb) => [
      'id',
      'name',
      eb
        .selectFrom('tickets')
        .whereRef('tickets.assignee_id', '=', 'users.id')
        .where('tickets.status', '!=', 'closed')
        .select(eb.fn.countAll<number>().as('tickets'))
        .as('tickets'),
      eb
        .selectFrom('sessions')
        .innerJoin('tickets', 'tickets.number', 'sessions.ticket')
        .whereRef('sessions.user_id', '=', 'users.id')
        .where('tickets.status', '!=', 'closed')
        .select((inner) => inner.fn.sum(inner('ended_at', '-', inner.ref('started_at'))).as('worked'))
        .as('worked'),
    ])
    .execute()
  return agents
    .map(({ id, name, tickets, worked }) => ({
      agent: { id, name },
      tickets: tickets ?? 0,
      worked: BigInt(worked ?? 0),
    }))
    .sort((a, b) => b.tickets - a.tickets || (a.agent.id < b.agent.id ? -1 : 1))
}

const counted = [
  'attachments',
  'comments',
  'customers',
  'events',
  'sessions',
  'teams',
  'tickets',
  'tokens',
  'users',
] as const satisfies readonly (keyof Tables)[]

export async function storageOf(database: DeskDatabase, at: Date): Promise<Storage> {
  const rows = await Promise.all(
    counted.map(async (table) => {
      const count = database.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count'))
      return [table, (await count.executeTakeFirstOrThrow()).count] as const
    }),
  )
  const { bytes } = await database
    .selectFrom('attachments')
    .select((eb) => eb.fn.sum('bytes').as('bytes'))
    .executeTakeFirstOrThrow()
  return { at, rows: Object.fromEntries(rows), fileBytes: BigInt(bytes ?? 0) }
}
