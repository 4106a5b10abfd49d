import {
  type Int32,
  NotFound,
  type Rendered,
  type UnsupportedMediaType,
  type UploadedFile,
  type Uuid,
} from 'acmcp'
import { DeskController, type TypeProblem } from '../desk-controller.ts'
import type { Attachment } from '../model/conversation.ts'
import { attachFiles, findAttachment, listAttachments, removeAttachment } from '../tickets/attachments.ts'
import { filesFolder } from '../tickets/files.ts'

/**
 * Files that belong to tickets.
 *
 * A browser that signed in may download them, so that a page can link to them.
 *
 * @base /api
 * @scope desk:read unless=session
 * @mcp keywords file, document, screenshot, photo, image
 */
export class Attachments extends DeskController {
  /**
   * Lists the files of a ticket, oldest first.
   *
   * @get /tickets/:number/attachments
   * @param number - of the ticket
   * @throws {NotFound} 404 there is no such ticket
   * @mcp brief id name type bytes
   * @mcp keywords uploads
   */
  async index(number: Int32): Promise<Attachment[]> {
    await this.ticket(number)
    return listAttachments(this.database, number)
  }

  /**
   * Attaches files to a ticket: pictures, PDF, text, CSV and zip. All of them, or none.
   *
   * @post /tickets/:number/attachments
   * @scope desk:write
   * @param number - of the ticket
   * @param files - one or several
   * @returns 201 the files as stored
   */
  async create(number: Int32, files: UploadedFile[]): Promise<Attachment[]> {
    await this.openTicket(number)
    return attachFiles(this.services, files, { ticket: number, actor: this.member.id, at: this.now })
  }

  /**
   * Downloads a file, under its own name or the one at the end of the address.
   *
   * @get /attachments/:id/content/?:name
   * @param id - of the file
   * @param name - under which it is saved
   * @returns 200 the bytes
   * @throws {NotFound} 404 there is no such file
   * @mcp keywords view, open, get, look at
   */
  async content(id: Uuid, name?: string): Promise<Rendered> {
    const file = await this.#file(id)
    this.response.set('cache-control', 'private, no-cache')
    return this.file(file.id, { root: filesFolder, download: name ?? file.name, contentType: file.type })
  }

  /**
   * Removes a file from its ticket. Customers remove what they attached themselves.
   *
   * @delete /attachments/:id
   * @scope desk:write
   * @param id - of the file
   * @returns 204
   * @throws {NotFound} 404 there is no such file
   * @mcp keywords erase, wrong file
   */
  async destroy(id: Uuid): Promise<void> {
    const attachment = await this.#file(id)
    const { ticket, uploadedBy } = attachment
    if (uploadedBy !== this.member.id) this.requireRole('agent', 'admin')
    await this.openTicket(ticket)
    await removeAttachment(this.services, attachment, { ticket, actor: this.member.id, at: this.now })
  }

  async #file(id: string): Promise<Attachment> {
    const file = await findAttachment(this.database, this.member, id)
    if (file === null) throw new NotFound('there is no such file')
    return file
  }

  /** Here it is about files, so it says so. */
  override unsupportedMediaType(error: UnsupportedMediaType): TypeProblem {
    return { ...super.unsupportedMediaType(error), error: 'this type of file is not taken' }
  }
}
