/** An application with two skills: one toolbox whose tools need different scopes and that has a hidden one, one that is guarded as a
 *  whole, and one without a skill. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { builtFolder } from '../../support/linked.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Library' },
  scopes: { 'books:read': 'See books', 'books:write': 'Change books', staff: 'Work with loans' },
})
`

const books = `import { ApplicationController, type Int32, NotFound, Unauthorized } from 'acmcp'

export class Lent extends Error {}

export interface Book { id: number; title: string }

/**
 * Books of the library.
 *
 * A book that is lent cannot be removed.
 *
 * @base /books
 * @scope books:read
 * @mcp skill Use it when "somebody" looks for a book.
 */
export class Books extends ApplicationController {
  /**
   * Somebody has the book.
   *
   * @exception {Lent} 409
   */
  lent(error: Lent): { error: string } { return { error: error.message } }

  /**
   * Lists books.
   *
   * @get /
   */
  index(title = ''): Book[] { return [{ id: 1, title }] }

  /**
   * Shows a book.
   *
   * @get /:id
   * @param id - which one
   * @throws {NotFound} 404 there is no such book
   */
  show(id: Int32): Book { throw new NotFound(String(id)) }

  /**
   * Adds a book.
   *
   * @post /
   * @scope books:write
   * @param title - what it is called
   */
  create(title: string): Book { return { id: 2, title } }

  /**
   * Removes a book.
   *
   * @delete /:id
   * @scope books:write
   * @param id - which one
   * @throws {NotFound} 404 it is gone already
   */
  remove(id: Int32): void { throw new Lent(String(id)) }

  /**
   * Burns a book.
   *
   * @delete /:id/burnt
   * @mcp hide
   * @scope books:write
   */
  burn(id: Int32): void { void id }
}

/**
 * Who has which book.
 *
 * @base /loans
 * @scope staff
 * @mcp skill
 */
export class LoanCards extends ApplicationController {
  /**
   * Lists loans.
   *
   * @get /
   */
  index(): string[] { return [] }
}

/**
 * Who asks.
 *
 * @base /people
 */
export class People extends ApplicationController {
  /**
   * Says that somebody asks.
   *
   * @get /me
   * @scope none
   */
  me(): { id: string } {
    if (this.access === null) throw new Unauthorized('sign in')
    return { id: this.access.user.id }
  }

  /**
   * Where they meet.
   *
   * @get /hall
   * @scope none
   * @mcp resource uri=library://hall
   */
  hall(): string { return 'the hall' }
}
`

export const libraryFiles: Readonly<Record<string, string>> = {
  'package.json': '{"name":"library","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/controllers/books.ts': books,
}

export interface Library {
  readonly bundle: AppBundle
  /** The text of every skill by its address, as a reviewer reads it in mcp.yml. */
  readonly reviewed: ReadonlyMap<string, string>
}

/** Builds it in a folder of its own, as a user would. */
export async function buildLibrary(): Promise<Library> {
  const root = await builtFolder(libraryFiles)
  const { toolboxes } = parse(readFileSync(join(root, 'generated/mcp.yml'), 'utf8'))
  const texts = toolboxes.flatMap(({ skill }: { skill?: { uri: string; text: string } }) =>
    skill === undefined ? [] : [[skill.uri, skill.text]],
  )
  return { bundle: await loadBundle(root), reviewed: new Map(texts) }
}
