/** Links to a ticket for a guest without an account. The token is the only key: the database has its digest alone, so a reader
 *  of the table can open nothing. */
import { createHash, randomBytes } from 'node:crypto'
import type { DeskDatabase } from '../database/tables.ts'
import type { SharedTicket, ShareLink } from '../model/ticket.ts'

const lifetimeMs = 14 * 86_400_000

export async function shareTicket(database: DeskDatabase, ticket: number, now: number): Promise<ShareLink> {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = now + lifetimeMs
  await database
    .insertInto('tokens')
    .values({ digest: digestOf(token), ticket, expires_at: expiresAt })
    .execute()
  return { token, expiresAt: new Date(expiresAt) }
}

/** What the token opens, or null. */
export async function sharedTicket(
  database: DeskDatabase,
  token: string,
  now: number,
): Promise<SharedTicket | null> {
  const row = await database
    .selectFrom('tokens')
    .innerJoin('tickets', 'tickets.number', 'tokens.ticket')
    .select(['tickets.number', 'tickets.subject', 'tickets.status', 'tickets.changed_at'])
    .where('tokens.digest', '=', digestOf(token))
    .where('tokens.expires_at', '>', now)
    .executeTakeFirst()
  if (row === undefined) return null
  const { number, subject, status, changed_at } = row
  return { number, subject, status, changedAt: new Date(changed_at) }
}

/** Removes links that have expired, and says how many. */
export async function purgeLinks(database: DeskDatabase, now: number): Promise<number> {
  const deleted = await database.deleteFrom('tokens').where('expires_at', '<=', now).executeTakeFirst()
  return Number(deleted.numDeletedRows)
}

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex')
