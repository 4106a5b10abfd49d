/** What failed is run once more: what fails again has failed, and so has a run without results. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'

const folder = mkdtempSync(join(tmpdir(), 'acmcp-again-'))

function suite(name: string, text: string): string {
  const path = join(folder, `${name}.test.js`)
  writeFileSync(path, text)
  return path
}

const good = suite('good', "import t from 'tap'\nt.pass('fine')")
const bad = suite('bad', "import t from 'tap'\nt.fail('wrong')")

function again(tap: string): { readonly status: number | null; readonly last: string | undefined } {
  const file = join(folder, 'all.js.tap')
  writeFileSync(file, tap)
  const { status, stdout } = spawnSync(process.execPath, ['dist/test/support/report/again.js', file], {
    encoding: 'utf8',
  })
  return { status, last: stdout.trimEnd().split('\n').at(-1) }
}

t.test('a suite that passes now is told, one that fails twice has failed', async (t) => {
  const run = (...failed: readonly string[]): string =>
    `TAP version 14\nok 1 - other.test.js\n${failed.map((text, at) => `not ok ${at + 2} - ${text} # time=5ms\n`).join('')}\n1..3\n`
  t.strictSame(again(run(good)), { status: 0, last: `FAILED AT FIRST, passes alone: ${good}` })
  t.strictSame(again(run(good, bad)), { status: 1, last: `failed twice: ${bad}` })
  t.strictSame(again(run()), { status: 1, last: '' }, 'nothing that failed explains the run')
  t.strictSame(again(run(good).replace('\n1..3', '')), { status: 1, last: '' })
  t.strictSame(again(''), { status: 1, last: '' })
})
