/** What a bundle does is what Node.js does with the sources as `tsc` compiles them. */
import t, { type Test } from 'tap'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { functions } from './small-applications/functions.ts'
import { imports } from './small-applications/imports.ts'
import { places } from './small-applications/places.ts'
import { refused, startless } from './small-applications/refused.ts'
import { answerOf, bundled, compiled, foldersOf, type SmallApplication } from './small-applications/run.ts'

t.setTimeout(240_000) // a busy machine

async function runAll(test: Test, applications: readonly SmallApplication[]): Promise<void> {
  const folders = foldersOf(test, applications)
  const references = compiled(test, folders)
  for (const [index, { title, expected }] of applications.entries()) {
    const [folder = '', reference = ''] = [folders[index], references[index]]
    test.strictSame(await bundled(folder), [], `${title}: builds`)
    const wanted = expected ?? (await answerOf(reference, 'app/config.js'))
    test.strictSame(await answerOf(folder, '.acmcp/app.mjs'), wanted, title)
  }
}

t.test('modules that ask where they lie', (t) => runAll(t, places))

t.test('the forms of imports', (t) => runAll(t, imports))

t.test('functions, their names and their text', (t) => runAll(t, functions))

t.test('what the build refuses', async (t) => {
  const folders = foldersOf(t, refused)
  for (const [index, { title, told }] of refused.entries()) {
    const lines = await bundled(folders[index] ?? '')
    t.strictSame(
      lines.map((line) => line.replace(/ \| .*$/, '')),
      told,
      title,
    )
  }
})

t.test('what Node.js refuses is told with its reason and the place in the source', async (t) => {
  const folders = foldersOf(t, startless)
  for (const [index, { title, told }] of startless.entries()) {
    const folder = folders[index] ?? ''
    t.strictSame(await bundled(folder), [], `${title}: builds`)
    // the reason is Node's own: of a CommonJS package 24 says more than 20 does
    const said = await loadBundle(folder).then(String, (error: Error) => `${error.name}: ${error.message}`)
    const ofNode24 =
      /: Named export '(\w+)' not found\. The requested module '([^']+)' is a CommonJS module.*$/
    const told20 = said.replace(ofNode24, ": The requested module '$2' does not provide an export named '$1'")
    t.equal(told20, `BootError: ${told[0]}`, title)
  }
})
