import { Resource } from '../resource.ts'

/** A book of the library. */
export interface Book {
  title: string
  /** Its authors, the first one first. */
  authors: [string, ...string[]]
}

/**
 * The books of the library.
 *
 * @base /books
 */
export class Books extends Resource<Book> {
  protected override readonly all = new Map<string, Book>()
}
