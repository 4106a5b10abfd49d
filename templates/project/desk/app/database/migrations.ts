/** How the tables came to be. A migration that has run anywhere is never changed: add another. */
import type { Migration } from 'acmcp/store'

const people: Migration = {
  async up(db) {
    await db.schema
      .createTable('users')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('email', 'text')
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('teams')
      .addColumn('slug', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('schedule', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('members')
      .addColumn('team', 'text', (column) => column.notNull().references('teams.slug').onDelete('cascade'))
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
      .addPrimaryKeyConstraint('members_primary', ['team', 'user_id'])
      .execute()
    await db.schema
      .createTable('customers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('email', 'text', (column) => column.notNull().unique())
      .addColumn('organisation', 'text')
      .addColumn('user_id', 'text', (column) => column.unique().references('users.id'))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}

const tickets: Migration = {
  async up(db) {
    await db.schema
      .createTable('counters')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'integer', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('tickets')
      .addColumn('number', 'integer', (column) => column.primaryKey())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('priority', 'text', (column) => column.notNull())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('customer_id', 'text', (column) =>
        column.notNull().references('customers.id').onDelete('cascade'),
      )
      .addColumn('assignee_id', 'text', (column) => column.references('users.id'))
      .addColumn('team', 'text', (column) => column.references('teams.slug').onDelete('set null'))
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('opened_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addColumn('closed_at', 'bigint')
      .execute()
    await db.schema.createIndex('tickets_customer_id').on('tickets').column('customer_id').execute()
    await db.schema.createIndex('tickets_status').on('tickets').columns(['status', 'opened_at']).execute()
    await db.schema
      .createTable('tags')
      .addColumn('ticket', 'integer', (column) =>
        column.notNull().references('tickets.number').onDelete('cascade'),
      )
      .addColumn('name', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('tags_primary', ['ticket', 'name'])
      .execute()
  },
}

const conversation: Migration = {
  async up(db) {
    await db.schema
      .createTable('comments')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('ticket', 'integer', (column) =>
        column.notNull().references('tickets.number').onDelete('cascade'),
      )
      .addColumn('author_id', 'text', (column) => column.notNull().references('users.id'))
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('is_internal', 'integer', (column) => column.notNull())
      .addColumn('written_at', 'bigint', (column) => column.notNull())
      .addColumn('edited_at', 'bigint')
      .execute()
    await db.schema.createIndex('comments_ticket').on('comments').column('ticket').execute()
    await db.schema
      .createTable('attachments')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('ticket', 'integer', (column) =>
        column.notNull().references('tickets.number').onDelete('cascade'),
      )
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('uploaded_by', 'text', (column) => column.notNull().references('users.id'))
      .addColumn('uploaded_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('attachments_ticket').on('attachments').column('ticket').execute()
    await db.schema
      .createTable('events')
      .addColumn('id', 'bigint', (column) => column.primaryKey())
      .addColumn('ticket', 'integer', (column) =>
        column.notNull().references('tickets.number').onDelete('cascade'),
      )
      .addColumn('actor_id', 'text', (column) => column.notNull().references('users.id'))
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('is_internal', 'integer', (column) => column.notNull())
      .addColumn('detail', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('events_ticket').on('events').columns(['ticket', 'id']).execute()
  },
}

const work: Migration = {
  async up(db) {
    await db.schema
      .createTable('sessions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
      .addColumn('ticket', 'integer', (column) =>
        column.notNull().references('tickets.number').onDelete('cascade'),
      )
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .execute()
    await db.schema.createIndex('sessions_user_id').on('sessions').columns(['user_id', 'ended_at']).execute()
    await db.schema
      .createTable('tokens')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('ticket', 'integer', (column) =>
        column.notNull().references('tickets.number').onDelete('cascade'),
      )
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}

export const migrations: Readonly<Record<string, Migration>> = {
  '001_people': people,
  '002_tickets': tickets,
  '003_conversation': conversation,
  '004_work': work,
}
