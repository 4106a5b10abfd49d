import { Conflict, Forbidden, type Int32, NotFound, type Uuid } from 'acmcp'
import { DeskController } from '../desk-controller.ts'
import type { Comment, CommentText } from '../model/conversation.ts'
import { addComment, editComment, findComment, listComments, removeComment } from '../tickets/comments.ts'

/** How long an author may change what they wrote. */
const editableMs = 15 * 60_000

/**
 * What is said on a ticket.
 *
 * @base /api/tickets/:number/comments
 * @scope desk:read
 * @mcp keywords reply, message, note, conversation
 */
export class Comments extends DeskController {
  /**
   * Lists the comments of a ticket, oldest first. Customers do not see internal ones.
   *
   * @get /
   * @param number - of the ticket
   * @throws {NotFound} 404 there is no such ticket
   * @mcp keywords discussion, what was said, back and forth
   */
  async index(number: Int32): Promise<Comment[]> {
    await this.ticket(number)
    return listComments(this.database, this.member, number)
  }

  /**
   * Answers on a ticket. It waits for the customer then; what the customer says opens it.
   *
   * @post /
   * @scope desk:write
   * @param number - of the ticket
   * @param text - what is said
   * @param isInternal - whether it is for the staff alone, and the customer hears nothing of it
   * @returns 201 the comment
   * @mcp title="Answer on a ticket"
   * @mcp example {"number":7,"text":"We have sent a new invoice.","isInternal":false}
   * @mcp keywords write back, respond, internal remark
   */
  async create(number: Int32, text: CommentText, isInternal = false): Promise<Comment> {
    if (isInternal) this.requireRole('agent', 'admin')
    await this.openTicket(number)
    return addComment(this.services, this.member, { ticket: number, at: this.now, text, isInternal })
  }

  /**
   * Changes a comment of the caller's own, in the first 15 minutes.
   *
   * @put /:id
   * @scope desk:write
   * @param number - of the ticket
   * @param id - of the comment
   * @param text - what it says from now on
   * @throws {Forbidden} 403 somebody else wrote it
   * @throws {NotFound} 404 there is no such comment
   * @throws {Conflict} 409 it is too old
   * @mcp keywords correct, rephrase
   */
  async update(number: Int32, id: Uuid, text: CommentText): Promise<Comment> {
    const comment = await this.#own(number, id)
    const age = this.services.clock() - comment.writtenAt.getTime()
    if (age > editableMs) throw new Conflict('a comment can be changed for 15 minutes')
    return editComment(this.database, comment, text, this.now)
  }

  /**
   * Removes a comment of the caller's own.
   *
   * @delete /:id
   * @scope desk:write
   * @param number - of the ticket
   * @param id - of the comment
   * @returns 204
   * @throws {Forbidden} 403 somebody else wrote it
   * @throws {NotFound} 404 there is no such comment
   * @mcp keywords take back, strike, undo
   */
  async destroy(number: Int32, id: Uuid): Promise<void> {
    const comment = await this.#own(number, id)
    await removeComment(this.database, comment.id)
  }

  async #own(ticket: number, id: string): Promise<Comment> {
    await this.openTicket(ticket)
    const comment = await findComment(this.database, this.member, { ticket, id })
    if (comment === null) throw new NotFound('there is no such comment')
    if (comment.author.id !== this.member.id) throw new Forbidden('somebody else wrote it')
    return comment
  }
}
