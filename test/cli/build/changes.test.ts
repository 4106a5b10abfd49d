/** What `acmcp dev` says that an edit changed: all that is written of a tool counts. */
import t from 'tap'
import { changeLines } from '../../../cli/capabilities/dev/changes.ts'
import { contentsOf } from '../../../cli/capabilities/dev/contents.ts'
import { compile } from '../../../cli/compiler/compile.ts'
import { memoryHost, notesWith } from '../support/memory-host.ts'

const contents = (...tags: readonly string[]) => {
  const lines = ['@get /', ...tags].map((tag) => ` * ${tag}\n`).join('')
  const files = notesWith(
    `/**\n * Lists notes.\n *\n${lines} */\nindex(since?: string): string[] { return [since ?? ''] }`,
  )
  const icon = { 'app/controllers/list.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>' }
  return contentsOf(compile(memoryHost({ ...files, ...icon })).model)
}

t.test('an edit of anything that is written of a tool is told', async (t) => {
  for (const tag of [
    '@mcp keywords other, words',
    '@mcp task',
    '@mcp budget 2000',
    '@mcp paging cursor=since',
    '@mcp describe For models.',
    '@mcp header since=Since',
    '@mcp example {"since":"today"}',
    '@icon ./list.svg',
  ]) {
    const lines = changeLines(contents(), contents(tag))
    t.match(
      lines.filter((line) => line.startsWith('tools changed')),
      [/^tools changed: notes_index /],
      tag,
    )
  }
  t.strictSame(changeLines(contents('', '@mcp task'), contents('@mcp task')), [
    'no route and no tool changed',
  ])
})
