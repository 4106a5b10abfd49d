/** The oracle over the whole corpus: TypeScript, the emitted schemas and the printed decoders are of one mind. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { describe, disagreements, idleExceptions, judgeCorpus } from '../oracle/oracle.ts'

t.setTimeout(240_000)
const report = await judgeCorpus()
const { entries, verdicts, typeErrors, refusals } = report

t.test('no sample is judged differently, but by a published exception', async (t) => {
  t.strictSame(disagreements(report).map(describe), [])
})

t.test('the exceptions are published, at most ten, and each still happens', async (t) => {
  const published = [
    ...readFileSync('test/cli/corpus/README.md', 'utf8').matchAll(/^\| ([a-z0-9-]+) \| (?!who|---)/gm),
  ].map(([, name]) => name)
  const used = new Set(verdicts.flatMap(({ sample }) => sample.exception ?? []))
  t.strictSame(published, [...used].sort())
  t.ok(published.length <= 10)
  t.strictSame(idleExceptions(report).map(describe), [])
})

t.test('types without a JSON form are refused with the path to them, all others are not', async (t) => {
  t.strictSame(refusals, [])
})

t.test('the types and the generated route table compile', async (t) => {
  t.strictSame(typeErrors, [])
})

t.test('the corpus is large, and shows both verdicts of nearly every type', async (t) => {
  const judged = entries.filter(({ refusal }) => refusal === null)
  const oneSided = judged.filter((entry) => {
    const own = verdicts.filter((verdict) => verdict.entry === entry)
    return (
      !own.some((verdict) => verdict.typescript) ||
      !own.some((verdict) => !verdict.typescript || verdict.sample.by === 'refused')
    )
  })
  t.ok(judged.length >= 150, `${judged.length} types`)
  t.strictSame(
    oneSided.map(({ title }) => title),
    ['unknown', 'any JSON'],
  )
})
