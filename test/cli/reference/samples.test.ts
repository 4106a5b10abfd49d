/** Every sample of the reference is compiled: what is called wrong is refused with its code, what is called right is not. */
import t from 'tap'
import { diagnosticEntries, tagEntries } from '../../../cli/capabilities/reference/entries.ts'
import type { Diagnostic } from '../../../cli/compiler/diagnostics/source-diagnostics.ts'
import { judged, judgedTogether } from '../support/samples.ts'

t.setTimeout(600_000)

const shown = ({ code, at, message }: Diagnostic): string => `${code} ${at.file}:${at.line} ${message}`
const isError = ({ severity }: Diagnostic): boolean => severity === 'error'

t.test('the wrong sample of a diagnostic raises it, the right one is accepted', async (t) => {
  const entries = diagnosticEntries()
  const together = judgedTogether(
    entries.flatMap(({ samples }) => samples.flatMap(({ label, text }) => (label === 'wrong' ? [] : [text]))),
  )
  t.ok(together.size > 50, `${together.size} have been judged together`)
  for (const { name, samples } of entries) {
    const raises = (found: readonly Diagnostic[]): boolean => found.some(({ code }) => code === name)
    for (const { label, text } of samples) {
      const beside = together.get(text)
      const found = beside === undefined || raises(beside) ? judged(text) : beside
      t.equal(raises(found), label === 'wrong', `${name}, ${label}: ${found.map(shown).join('; ')}`)
      if (label === 'right') t.strictSame(found.filter(isError).map(shown), [], name)
    }
  }
})

t.test('the example of every tag, word and wrapper is accepted', async (t) => {
  const entries = tagEntries()
  const together = judgedTogether(entries.flatMap(({ samples }) => samples.map(({ text }) => text)))
  t.ok(together.size > 30, `${together.size} have been judged together`)
  for (const { name, samples } of entries) {
    for (const { text } of samples)
      t.strictSame((together.get(text) ?? judged(text)).filter(isError).map(shown), [], name)
  }
})
