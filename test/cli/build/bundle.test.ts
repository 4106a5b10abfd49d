/** Bundles that are begun before the compiler has said what the generated modules are. */
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
  Object.fromEntries(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]))

/** The bundle that a process of its own makes, from what lies there and nothing that was begun. */
const fresh = (root: string, compilation: Compilation): Promise<Bundle> =>
  new Bundler(root, 'shared').bundle(compilation)

for (const service of ['shared', 'kept'] as const) {
  t.test(
    `a bundle that was begun is that of the compilation, whatever changed meanwhile (${service})`,
    async (t) => {
      const root = folderOf(t, {})
      const file = 'app/controllers/notes.ts'
      const compiled = (): Compilation => compile(diskHost(root))
      const bundler = new Bundler(root, service)
      t.teardown(() => bundler.close())
      const both = async (compilation: Compilation): Promise<Readonly<Record<string, string>>> => {
        const made = await bundler.bundle(compilation)
        t.strictSame(made, await fresh(root, compilation))
        return textsOf(made)
      }
      const app = join(root, '.acmcp/app.mjs')
      write(root, file, notes('one', 'first'))
      await bundler.begin() // nothing is generated yet
      const first = compiled()
      t.match((await both(first))[app], 'return "first"')
      for (const { path, text } of first.files) write(root, path, text)

      await bundler.begin()
      await both(first)

      await bundler.begin()
      write(root, file, notes('one', 'second'))
      t.match((await both(compiled()))[app], 'return "second"', 'a file was saved after it began')

      write(root, file, notes('two', 'third'))
      await bundler.begin()
      t.match((await both(compiled()))[app], '/notes/two', 'the route table is another one')

      await bundler.begin()
      write(root, file, 'this is no TypeScript')
      await t.rejects(bundler.bundle(first), 'a mistake of the application is told')

      await bundler.begin()
      await bundler.cancel()
      write(root, file, notes('one', 'fourth'))
      t.match((await both(compiled()))[app], 'return "fourth"', 'after one was given up')
    },
  )
}
