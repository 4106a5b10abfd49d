import { randomUUID } from 'node:crypto'
import type { Services } from 'acmcp'
import { type DeskDatabase, databaseFor, type Tables } from '../database/tables.ts'
import { TicketClosed } from '../errors.ts'
import type { Comment } from '../model/conversation.ts'
import type { Member } from '../model/member.ts'
import { type EventContext, record } from './events.ts'
import { announce } from './live.ts'

/** The comments of a ticket that `member` may read, oldest first. */
export async function listComments(
  database: DeskDatabase,
  member: Member,
  ticket: number,
): Promise<Comment[]> {
  const found = commentsFor(database, member).where('comments.ticket', '=', ticket)
  const rows = await found.orderBy('comments.written_at').orderBy('comments.id').execute()
  return rows.map(commentFrom)
}

/** The comment of a ticket, or null when there is none that `member` may read. */
export async function findComment(
  database: DeskDatabase,
  member: Member,
  { ticket, id }: { readonly ticket: number; readonly id: string },
): Promise<Comment | null> {
  const found = commentsFor(database, member)
    .where('comments.ticket', '=', ticket)
    .where('comments.id', '=', id)
  const row = await found.executeTakeFirst()
  return row === undefined ? null : commentFrom(row)
}

export interface NewComment {
  readonly text: string
  readonly isInternal: boolean
}

/** Adds a comment, and returns its id. What customers see also moves the ticket on: their word opens it, an answer waits for theirs.
 *  Throws `TicketClosed`. */
export async function addComment(
  services: Services,
  author: Member,
  { ticket, at, text, isInternal }: Omit<EventContext, 'actor'> & NewComment,
): Promise<Comment> {
  const id = randomUUID()
  const row = { id, ticket, author_id: author.id, text, is_internal: isInternal ? 1 : 0 }
  const times = { written_at: at.getTime(), edited_at: null }
  await databaseFor(services)
    .transaction()
    .execute(async (trx) => {
      await trx
        .insertInto('comments')
        .values({ ...row, ...times })
        .execute()
      const context = { actor: author.id, ticket, at }
      await record(trx, context, { kind: 'commented', comment: id, isInternal })
      if (isInternal) return
      const moved = await trx
        .updateTable('tickets')
        .set((eb) => ({ version: eb('version', '+', 1), changed_at: at.getTime() }))
        .set({ status: author.role === 'customer' ? 'open' : 'waiting' })
        .where('number', '=', ticket)
        .where('status', '!=', 'closed')
        .executeTakeFirst()
      if (moved.numUpdatedRows === 0n) throw new TicketClosed(ticket) // since the caller looked
    })
  announce(services)
  return commentFrom({ ...row, ...times, author_name: author.name })
}

export async function editComment(
  database: DeskDatabase,
  comment: Comment,
  text: string,
  at: Date,
): Promise<Comment> {
  const update = database.updateTable('comments').set({ text, edited_at: at.getTime() })
  await update.where('id', '=', comment.id).execute()
  return { ...comment, text, editedAt: at }
}

export async function removeComment(database: DeskDatabase, id: string): Promise<void> {
  await database.deleteFrom('comments').where('id', '=', id).execute()
}

function commentsFor(database: DeskDatabase, member: Member) {
  const all = database
    .selectFrom('comments')
    .innerJoin('users', 'users.id', 'comments.author_id')
    .selectAll('comments')
    .select('users.name as author_name')
  return member.role === 'customer' ? all.where('comments.is_internal', '=', 0) : all
}

function commentFrom(row: Tables['comments'] & { readonly author_name: string }): Comment {
  return {
    id: row.id,
    ticket: row.ticket,
    author: { id: row.author_id, name: row.author_name },
    text: row.text,
    isInternal: row.is_internal === 1,
    writtenAt: new Date(row.written_at),
    editedAt: row.edited_at === null ? null : new Date(row.edited_at),
  }
}
