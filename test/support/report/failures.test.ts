/** What the end of a failed run says. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'

function reported(tap: string): { readonly status: number | null; readonly lines: readonly string[] } {
  const file = join(mkdtempSync(join(tmpdir(), 'acmcp-failures-')), 'all.js.tap')
  writeFileSync(file, tap)
  const { status, stdout } = spawnSync(process.execPath, ['dist/test/support/report/failures.js', file], {
    encoding: 'utf8',
  })
  return { status, lines: stdout.split('\n').slice(0, -1) }
}

const run = (failed: string): string => `TAP version 14
# Subtest: dist/test/a.test.js
    # Subtest: a sentence
        ok 1 - fine
${failed}
        1..2
    not ok 1 - a sentence # time=5.405ms
      ---
      at:
        fileName: test/a.test.ts
        lineNumber: 1
      ...
    
    1..1
not ok 1 - dist/test/a.test.js # time=61.9ms
  ---
  exitCode: 1
  ...

1..1
`

const failure = (number: number, differing: readonly string[]): string => `        not ok ${number} - values
          ---
          diff: |
            --- expected
            +++ actual
            @@ -1,8 +1,8 @@
             Object {
${differing.map((line) => `            ${line}`).join('\n')}
             }
          at:
            fileName: test/a.test.ts
            lineNumber: 7
          stack: |
            - no difference
          ...
        `

t.test('the assertions that failed are named with what differs, and nothing else', async (t) => {
  t.strictSame(reported(run(failure(2, ['-  "a": 2,', '+  "a": 1,', '   "b": 3,']))), {
    status: 1,
    lines: [
      '1 failed:',
      '✖ dist/test/a.test.js > a sentence > values',
      '  at test/a.test.ts:7',
      '  -  "a": 2,',
      '  +  "a": 1,',
    ],
  })
})

t.test('however much failed, it is one screen', async (t) => {
  const long = Array.from({ length: 200 }, (_, index) => `+  "x${index}": "${'y'.repeat(300)}",`)
  const item = reported(run(failure(2, long))).lines
  t.equal(item.length, 37)
  t.equal(Math.max(...item.map((line) => line.length)), 150)
  const many = reported(
    run(Array.from({ length: 90 }, (_, index) => failure(index + 2, long)).join('\n')),
  ).lines
  t.equal(many.length, 37)
  t.equal(many[0], '90 failed, 54 of them not shown:')
})
