/** What differs between two schemas: a judge of another make agrees, and no value is refused of which nothing was said. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { disagreements, type Judged } from './judged.ts'
import { refusedUntold } from './refused.ts'

t.setTimeout(240_000)

t.test('300 pairs of schemas: json-schema-diff agrees on what is no longer let through', (t) => {
  const text = readFileSync('test/cli/contract/golden/judged-schemas.jsonl', 'utf8')
  const pairs = text
    .trim()
    .split('\n')
    .map((line): Judged => JSON.parse(line))
  t.equal(pairs.length, 300)
  t.ok(pairs.filter(({ removed }) => removed).length >= 50)
  t.ok(pairs.filter(({ added }) => added).length >= 50)
  t.strictSame(disagreements(pairs), [])
  t.end()
})

t.test('what one schema takes and the other refuses is told, whatever the keywords', (t) => {
  const { refused, wrong } = refusedUntold(600, 5)
  t.ok(refused > 100, `${refused} pairs of which one refuses a value of the other`)
  t.strictSame(wrong, [])
  t.end()
})
