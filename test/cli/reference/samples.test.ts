/** Every sample of the reference is compiled: what is called wrong is refused with its code, what is called right is not. */
import t from 'tap'
import { diagnosticEntries, tagEntries } from '../../../cli/reference/entries.ts'
import { judged } from '../support/samples.ts'

t.setTimeout(600_000)

const told = (sample: string): readonly string[] =>
  judged(sample).map(({ code, at, message }) => `${code} ${at.file}:${at.line} ${message}`)
const errors = (sample: string): readonly string[] =>
  judged(sample)
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code} ${message}`)

t.test('the wrong sample of a diagnostic raises it, the right one is accepted', async (t) => {
  for (const { name, samples } of diagnosticEntries()) {
    for (const { label, text } of samples) {
      const found = told(text)
      const codes = found.map((one) => one.slice(0, 6))
      if (label === 'wrong') t.ok(codes.includes(name), `${name}: ${found.join('; ')}`)
      else t.notOk(codes.includes(name), `${name} mended: ${found.join('; ')}`)
      if (label === 'right') t.strictSame(errors(text), [], name)
    }
  }
})

t.test('the example of every tag, word and wrapper is accepted', async (t) => {
  for (const { name, samples } of tagEntries()) {
    for (const { text } of samples) t.strictSame(errors(text), [], name)
  }
})
