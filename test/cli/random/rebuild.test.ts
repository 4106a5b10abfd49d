import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { built, folderOf, write } from '../support/built-app.ts'
import { realZoo, zoo } from './changes.ts'
import { builtAfresh, outputsOf, realFolder, walkRebuilds, watching } from './rebuild.ts'

t.setTimeout(240_000)

const cats = 'app/controllers/cats.ts'

function edit(root: string, path: string, from: string, to: string): void {
  write(root, path, readFileSync(join(root, path), 'utf8').replace(from, to))
}

t.test('a new process builds all, whatever the state of the last build is', async (t) => {
  const root = folderOf(t, zoo)
  t.equal((await built(root)).status, 0)
  const state = join(root, '.acmcp/build.json')
  const spoilt: readonly (readonly [string, () => void])[] = [
    ['as it was left', () => {}],
    ['cut short', () => writeFileSync(state, readFileSync(state).subarray(0, -10))],
    ['changed by hand', () => appendFileSync(state, ' ')],
    ['of another form', () => writeFileSync(state, '{"version":1}')],
    ['gone', () => rmSync(state)],
  ]
  for (const [index, [what, spoil]] of spoilt.entries()) {
    spoil()
    edit(root, cats, 'Shows', `Shows ${index}`)
    t.equal((await built(root)).status, 0, what)
    t.strictSame(outputsOf(root), (await builtAfresh(t, root)).outputs, what)
  }
})

t.test(
  '--watch: the bytes and reports of each build are those of a new process, with packages',
  async (t) => {
    t.strictSame(await walkRebuilds(t, 4, 3), [])
  },
)

t.test(
  '--watch: a mistake in one controller stops the build, the repaired one goes on from before',
  async (t) => {
    const root = realFolder(t, realZoo)
    const rebuild = watching(t, root)
    await rebuild()
    const before = outputsOf(root)
    edit(root, cats, 'Int32)', 'symbol)')
    const broken = await rebuild()
    t.strictSame([broken?.status, broken?.stderr], [1, (await builtAfresh(t, root)).ran.stderr])
    t.strictSame(outputsOf(root), before, 'nothing was written')
    edit(root, cats, 'symbol)', 'Int32)')
    t.match(await rebuild(), { status: 0, stdout: /; 0 files written/, stderr: '' })
    t.equal(await rebuild(), null, 'nothing changed since')
  },
)

t.test('--watch: the warnings of a controller that did not change are shown again', async (t) => {
  const silent = `import { Controller } from 'acmcp'\n\nexport class Silent extends Controller {\n  /** @get / */\n  show(): void {}\n}\n`
  const root = folderOf(t, { ...zoo, 'app/controllers/silent.ts': silent })
  const rebuild = watching(t, root)
  const first = await rebuild()
  t.match(first?.stderr, 'warning ACM206')
  edit(root, cats, 'Shows', 'Always shows')
  t.equal((await rebuild())?.stderr, first?.stderr)
})

t.test(
  '--watch: a file that was edited by hand or removed is written again with the next build',
  async (t) => {
    const root = folderOf(t, zoo)
    const rebuild = watching(t, root)
    await rebuild()
    const before = outputsOf(root)
    appendFileSync(join(root, 'generated/routes.ts'), '// by hand\n')
    rmSync(join(root, '.acmcp/codecs.mjs'))
    edit(root, cats, 'Shows one', 'Shows  one')
    t.match((await rebuild())?.stdout, /wrote generated\/routes.ts\n.*wrote .acmcp\/codecs.mjs\n/s)
    t.strictSame(outputsOf(root).get('generated/routes.ts'), before.get('generated/routes.ts'))
    t.strictSame(outputsOf(root), (await builtAfresh(t, root)).outputs)
  },
)
