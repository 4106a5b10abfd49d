/** The time that agents work on tickets. An agent works on one at a time. */
import { randomUUID } from 'node:crypto'
import type { DeskDatabase, Tables } from '../database/tables.ts'
import type { WorkSession } from '../model/team.ts'

/** Begins a session; one that goes on ends. */
export async function startSession(
  database: DeskDatabase,
  { userId, ticket, at }: { readonly userId: string; readonly ticket: number; readonly at: Date },
): Promise<WorkSession> {
  const row = { id: randomUUID(), user_id: userId, ticket, started_at: at.getTime(), ended_at: null }
  await database.transaction().execute(async (trx) => {
    await endAll(trx, userId, at)
    await trx.insertInto('sessions').values(row).execute()
  })
  return sessionFrom(row)
}

/** The session that went on, or null. */
export async function endSession(
  database: DeskDatabase,
  userId: string,
  at: Date,
): Promise<WorkSession | null> {
  const [row] = await endAll(database, userId, at)
  return row === undefined ? null : sessionFrom(row)
}

function endAll(database: DeskDatabase, userId: string, at: Date): Promise<Tables['sessions'][]> {
  return database
    .updateTable('sessions')
    .set({ ended_at: at.getTime() })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .returningAll()
    .execute()
}

function sessionFrom({ id, ticket, started_at, ended_at }: Tables['sessions']): WorkSession {
  return {
    id,
    ticket,
    startedAt: new Date(started_at),
    endedAt: ended_at === null ? null : new Date(ended_at),
    worked: ended_at === null ? null : BigInt(ended_at - started_at),
  }
}
