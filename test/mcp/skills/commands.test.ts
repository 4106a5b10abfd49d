/** `acmcp resources` and `acmcp read`: the skills of the last build, as a client reads them. */
import t from 'tap'
import { copiesOfBuilt } from '../../cli/support/built-app.ts'
import { acmcpHere } from '../../cli/support/here.ts'
import { libraryFiles } from './library.ts'

t.setTimeout(240_000)

const libraryIn = copiesOfBuilt(libraryFiles)

t.test('a skill is listed and read, whole or by scope', async (t) => {
  const root = await libraryIn(t)
  const ran = async (...args: readonly string[]): Promise<readonly unknown[]> => {
    const { status, stdout, stderr } = await acmcpHere(root, {}, ...args)
    return [status, stdout, stderr]
  }
  const books = `skill://books/SKILL.md (books, text/markdown)
  Books of the library. Use it when "somebody" looks for a book.
`
  const loans = `skill://loan-cards/SKILL.md (loan-cards, text/markdown)
  Who has which book.
`
  const hall = `library://hall (people_hall, application/json)
  Where they meet.
`
  t.strictSame(await ran('resources'), [0, `${hall}\n${books}\n${loans}`, ''])
  t.strictSame(await ran('resources', '--scope', 'books:read'), [0, `${hall}\n${books}`, ''])
  const uri = 'skill://books/SKILL.md'
  const text = `---
name: books
description: "Books of the library. Use it when \\"somebody\\" looks for a book."
---

# books

Books of the library.

A book that is lent cannot be removed.

## Tools

Those that are not in your list are in the toolbox \`books\`: \`open_toolbox\` describes them.

- \`books_index\` (reads): Lists books.
- \`books_show\` (reads): Shows a book.`
  const writing = `
- \`books_create\` (writes): Adds a book.
- \`books_remove\` (deletes or overwrites; may be repeated): Removes a book.`
  const read = async (scope: string): Promise<string> => {
    const [, stdout] = await ran('read', uri, '--scope', scope, '--json')
    return JSON.parse(String(stdout)).contents[0].text
  }
  t.equal(await read('books:read'), text)
  t.equal(await read('books:write books:read'), `${text}${writing}`)
  t.strictSame(await ran('read', uri, '--scope', 'staff'), [
    1,
    '',
    `acmcp: ${uri} was not read: Resource not found; acmcp resources lists them\n`,
  ])
})
