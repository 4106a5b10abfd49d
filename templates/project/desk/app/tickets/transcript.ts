import type { Comment } from '../model/conversation.ts'
import type { Ticket } from '../model/ticket.ts'

/** A ticket and its comments as a text for people. */
export function transcriptOf(ticket: Ticket, comments: readonly Comment[]): string {
  const { number, subject, customer, status, openedAt, body } = ticket
  const head = [
    `Ticket ${number}: ${subject}`,
    `${status}, opened ${openedAt.toISOString()} by ${customer.name}`,
  ]
  const parts = comments.map(({ author, writtenAt, isInternal, text }) =>
    [`${author.name}, ${writtenAt.toISOString()}${isInternal ? ', internal' : ''}`, '', text].join('\n'),
  )
  return `${[head.join('\n'), body, ...parts].join('\n\n---\n\n')}\n`
}
