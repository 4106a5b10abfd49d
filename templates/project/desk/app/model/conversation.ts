import type { Int32, Int64, Uuid } from 'acmcp'

/** Something that was said on a ticket. */
export interface Comment {
  readonly id: Uuid
  readonly ticket: Int32
  readonly author: Author
  readonly text: CommentText
  /** Customers do not see it. */
  readonly isInternal: boolean
  readonly writtenAt: Date
  readonly editedAt: Date | null
}

/** Who wrote it. */
export interface Author {
  readonly id: string
  readonly name: string
}

/**
 * @minLength 1
 * @maxLength 20000
 */
export type CommentText = string

/** A file that belongs to a ticket. */
export interface Attachment {
  readonly id: Uuid
  readonly ticket: Int32
  /** As the sender called it. */
  readonly name: string
  readonly type: AttachmentType
  readonly bytes: Int64
  /** SHA-256 of its content, as hex: who downloads it can check it. */
  readonly digest: string
  /** The id of the user who attached it. */
  readonly uploadedBy: string
  readonly uploadedAt: Date
}

/** What may be attached: nothing that a browser would run. */
export const attachmentTypes = [
  'application/pdf',
  'application/zip',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/csv',
  'text/plain',
] as const

export type AttachmentType = (typeof attachmentTypes)[number]
