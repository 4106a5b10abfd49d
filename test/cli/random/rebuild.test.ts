import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { built, folderOf, write } from '../support/built-app.ts'
import { zoo } from './changes.ts'
import { builtAfresh, outputsOf } from './rebuild.ts'

t.setTimeout(120_000)

const cats = 'app/controllers/cats.ts'

function edit(root: string, path: string, from: string, to: string): void {
  write(root, path, readFileSync(join(root, path), 'utf8').replace(from, to))
}

t.test(
  'after an edit the bytes are those of a build in another folder, whatever the notes of the last build are',
  async (t) => {
    const root = folderOf(t, zoo)
    t.equal((await built(root)).status, 0)
    const noteOf = (name: string): string => join(root, '.acmcp', name)
    const [state, reading, kept] = [noteOf('build.json'), noteOf('reading.json'), noteOf('kept.bin')]
    copyFileSync(reading, join(root, 'reading.old'))
    copyFileSync(kept, join(root, 'kept.old'))
    const spoil = (path: string, change: (bytes: Buffer) => Uint8Array): void =>
      writeFileSync(path, change(readFileSync(path)))
    const spoilt: readonly (readonly [string, () => void])[] = [
      ['as they were left', () => {}],
      ['of an older build', () => copyFileSync(join(root, 'reading.old'), reading)],
      ['cut short', () => spoil(reading, (bytes) => bytes.subarray(0, -10))],
      [
        'changed by hand',
        () => spoil(reading, (bytes) => Buffer.from(bytes.toString().replace('app', 'App'))),
      ],
      ['of another form', () => writeFileSync(state, '{"version":1}')],
      ['gone', () => rmSync(reading)],
      ['with what an older build kept', () => copyFileSync(join(root, 'kept.old'), kept)],
      ['with less than was kept', () => spoil(kept, (bytes) => bytes.subarray(0, -1))],
      ['with more than was kept', () => spoil(kept, (bytes) => Buffer.concat([bytes, bytes]))],
      [
        'with something else than was kept',
        () =>
          spoil(kept, (bytes) => Buffer.from(bytes.toString('latin1').replace('Shows', 'Knows'), 'latin1')),
      ],
      ['without what was kept', () => rmSync(kept)],
      ['as they were left again', () => {}],
    ]
    for (const [index, [what, spoil]] of spoilt.entries()) {
      spoil()
      edit(root, cats, 'Shows', `Shows ${index}`)
      t.equal((await built(root)).status, 0, what)
      if (index === 0 || index === spoilt.length - 1) {
        t.strictSame(outputsOf(root), (await builtAfresh(t, root)).outputs, what)
      }
      t.match(outputsOf(root).get('generated/openapi.yml'), `Shows ${index}`, what)
    }
  },
)

t.test('a mistake in one controller stops the build, the repaired one goes on from before', async (t) => {
  const root = folderOf(t, zoo)
  await built(root)
  await built(root) // sources written in the millisecond in which a build begins are looked at again
  const before = outputsOf(root)
  edit(root, cats, 'Int32)', 'symbol)')
  const broken = await built(root)
  t.equal(broken.status, 1)
  t.equal(broken.stderr, (await builtAfresh(t, root)).ran.stderr)
  t.strictSame(outputsOf(root), before, 'nothing was written')
  edit(root, cats, 'symbol)', 'Int32)')
  t.strictSame(await built(root), { status: 0, stdout: 'nothing changed\n', stderr: '' })
})

t.test('the warnings of a controller that did not change are shown again', async (t) => {
  const silent = `import { Controller } from 'acmcp'\n\nexport class Silent extends Controller {\n  /** @get / */\n  show(): void {}\n}\n`
  const root = folderOf(t, { ...zoo, 'app/controllers/silent.ts': silent })
  const { stderr } = await built(root)
  t.match(stderr, 'warning ACM206')
  edit(root, cats, 'Shows', 'Always shows')
  const again = await built(root)
  t.equal(again.stderr, stderr)
  t.notMatch(again.stdout, 'nothing changed')
})
