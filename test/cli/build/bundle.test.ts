/** Bundles that take over what they can from the one before. */
import { join } from 'node:path'
import t from 'tap'
import { type Bundle, Bundler } from '../../../cli/build/bundle.ts'
import { diskHost } from '../../../cli/build/disk.ts'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { folderOf, write } from '../support/built-app.ts'
import { notesWith } from '../support/memory-host.ts'

t.setTimeout(120_000)

const notes = (path: string, answer: string): string =>
  notesWith(`
  /**
   * Reads a note.
   *
   * @get /${path}
   */
  read(): string {
    return '${answer}'
  }
`)['app/controllers/notes.ts'] ?? ''

const textsOf = ({ files }: Bundle): Readonly<Record<string, string>> =>
  Object.fromEntries(files.map(({ path, content }) => [path, Buffer.from(content).toString()]))

t.test('a bundle of a session is that of a new process, whatever changed since the last', async (t) => {
  const root = folderOf(t, {})
  const file = 'app/controllers/notes.ts'
  const compiled = (): Compilation => compile(diskHost(root))
  const bundler = new Bundler(root, false)
  t.teardown(() => bundler.close())
  const both = async (compilation: Compilation): Promise<string | undefined> => {
    const made = await bundler.bundle(compilation, diskHost(root))
    const fresh = new Bundler(root, false)
    t.strictSame(made, await fresh.bundle(compilation, diskHost(root)))
    await fresh.close()
    return textsOf(made)[join(root, '.acmcp/app.mjs')]
  }
  write(root, file, notes('one', 'first'))
  const first = compiled()
  t.match(await both(first), 'return "first"', 'nothing lies in generated/')
  for (const { path, text } of first.files) write(root, path, text)

  write(root, file, notes('one', 'second'))
  t.match(await both(compiled()), 'return "second"', 'a file was saved')

  write(root, file, notes('two', 'third'))
  t.match(await both(compiled()), '/notes/two', 'the route table is another than that on disk')

  write(root, file, 'this is no TypeScript')
  await t.rejects(bundler.bundle(first, diskHost(root)), 'a mistake of the application is told')

  write(root, file, notes('one', 'fourth'))
  t.match(await both(compiled()), 'return "fourth"', 'after a mistake')
})
