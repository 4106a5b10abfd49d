/** Part of `npm run test:package`: what would be published is what npm, publint and Are The Types Wrong take. Needs the
 *  registry. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { temporaryFolder } from '../flow/support.ts'
import { packInto, runBoth } from '../support/packed.ts'

t.setTimeout(600_000)

const folder = temporaryFolder()
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const tarball = join(folder, packInto(folder).file)

const lastLines = (text: string): string => text.trim().split('\n').slice(-15).join('\n')

t.test('release: npm publish --dry-run warns of nothing', async (t) => {
  const { status, text } = runBoth('npm', ['publish', '--dry-run', '--access', 'public', tarball], folder)
  t.equal(status, 0, lastLines(text))
  const lines = text.split('\n').filter((line) => /^npm (?:warn|error)/.test(line))
  const ofMachine = /Unknown (?:user|env|project) config|requires you to be logged in/
  t.strictSame(
    lines.filter((line) => !ofMachine.test(line)),
    [],
  )
  t.ok(text.includes('+ acmcp@'))
})

t.test('release: publint finds nothing, not even a suggestion', async (t) => {
  const { status, text } = runBoth('npx', ['--yes', 'publint@0.3.25', tarball, '--strict'], folder)
  t.strictSame([status, text.includes('All good!')], [0, true], lastLines(text))
})

t.test('release: the types of every entry are right for whoever can import it (ESM)', async (t) => {
  const tool = ['--yes', '--package', '@arethetypeswrong/cli@0.18.5', 'attw']
  const { status, text } = runBoth(
    'npx',
    [...tool, tarball, '--profile', 'esm-only', '--format', 'ascii'],
    folder,
  )
  t.equal(status, 0, lastLines(text))
  t.equal(text.match(/node16 \(from ESM\): 🟢 \(ESM\)/g)?.length, 4, 'all four entries were judged')
})
