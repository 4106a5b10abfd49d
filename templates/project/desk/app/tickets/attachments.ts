import { randomUUID } from 'node:crypto'
import { type Services, UnsupportedMediaType, type UploadedFile } from 'acmcp'
import { type DeskDatabase, databaseFor, type Tables } from '../database/tables.ts'
import { type Attachment, attachmentTypes } from '../model/conversation.ts'
import type { Member } from '../model/member.ts'
import { type EventContext, record } from './events.ts'
import { dropFiles, keepFile } from './files.ts'
import { announce } from './live.ts'
import { ticketsFor } from './tickets.ts'

/** The files of a ticket, oldest first. */
export async function listAttachments(database: DeskDatabase, ticket: number): Promise<Attachment[]> {
  const found = database.selectFrom('attachments').selectAll().where('ticket', '=', ticket)
  return (await found.orderBy('uploaded_at').orderBy('name').orderBy('id').execute()).map(attachmentFrom)
}

/** The file, or null when there is none that `member` may see. */
export async function findAttachment(
  database: DeskDatabase,
  member: Member,
  id: string,
): Promise<Attachment | null> {
  const row = await database
    .selectFrom('attachments')
    .selectAll()
    .where('id', '=', id)
    .where('ticket', 'in', ticketsFor(database, member).select('tickets.number'))
    .executeTakeFirst()
  return row === undefined ? null : attachmentFrom(row)
}

/** Stores all of them, or none. Throws `UnsupportedMediaType`. */
export async function attachFiles(
  services: Services,
  files: readonly UploadedFile[],
  context: EventContext,
): Promise<Attachment[]> {
  const judged = files.map((file) => ({ file, id: randomUUID(), type: typeOf(file) }))
  try {
    const rows: Tables['attachments'][] = []
    for (const { file, id, type } of judged) {
      const content = { name: file.name, type, bytes: file.size, digest: await keepFile(id, file) }
      const upload = { uploaded_by: context.actor, uploaded_at: context.at.getTime() }
      rows.push({ id, ticket: context.ticket, ...content, ...upload })
    }
    await insertAll(services, rows, context)
    return rows.map(attachmentFrom)
  } catch (error) {
    await dropFiles(judged.map(({ id }) => id))
    throw error
  }
}

async function insertAll(
  services: Services,
  rows: readonly Tables['attachments'][],
  context: EventContext,
): Promise<void> {
  await databaseFor(services)
    .transaction()
    .execute(async (trx) => {
      for (const row of rows) {
        await trx.insertInto('attachments').values(row).execute()
        await record(trx, context, { kind: 'attached', attachment: row.id, name: row.name })
      }
    })
  announce(services)
}

export async function removeAttachment(
  services: Services,
  { id, name }: Attachment,
  context: EventContext,
): Promise<void> {
  await databaseFor(services)
    .transaction()
    .execute(async (trx) => {
      const deleted = await trx.deleteFrom('attachments').where('id', '=', id).executeTakeFirst()
      if (deleted.numDeletedRows > 0n) await record(trx, context, { kind: 'detached', attachment: id, name })
    })
  announce(services)
  await dropFiles([id])
}

/** The ids of all files of tickets: ask before these are deleted, and drop the files after. */
export async function attachmentIdsOf(database: DeskDatabase, tickets: readonly number[]): Promise<string[]> {
  if (tickets.length === 0) return []
  const rows = await database.selectFrom('attachments').select('id').where('ticket', 'in', tickets).execute()
  return rows.map(({ id }) => id)
}

function typeOf(file: UploadedFile): Attachment['type'] {
  const type = attachmentTypes.find((known) => known === file.type)
  if (type === undefined) throw new UnsupportedMediaType(attachmentTypes)
  return type
}

function attachmentFrom(row: Tables['attachments']): Attachment {
  const { id, ticket, name, type, digest } = row
  const upload = { uploadedBy: row.uploaded_by, uploadedAt: new Date(row.uploaded_at) }
  return { id, ticket, name, type, bytes: BigInt(row.bytes), digest, ...upload }
}
