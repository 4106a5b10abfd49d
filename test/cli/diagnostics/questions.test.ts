/** What the build says of mistakes in questions to users: the wrong samples of the reference. */
import t from 'tap'
import { diagnosticEntries } from '../../../cli/capabilities/reference/entries.ts'
import type { Diagnostic } from '../../../cli/compiler/diagnostics/source-diagnostics.ts'
import { judged } from '../support/samples.ts'

/** `line:column severity: message | hint`. */
const expected: Readonly<Record<string, readonly string[]>> = {
  ACM280: [
    'ACM280 14:10 error: the user cannot be asked for consent.by: it is no text, number, boolean, choice of texts or list of them | MCP clients show flat forms: write Elicited<T> with an interface T of such properties.',
  ],
  ACM281: [
    'ACM281 14:10 error: consent must be there before the method runs, and the user is asked by the method | Write consent?: Elicited<…>; it is undefined until they have answered.',
  ],
  ACM282: [
    'ACM282 5:7 error: the user cannot be asked for consent by the filter check | Take Elicited<T> in a method with a route or a prompt, and throw InputRequired there.',
  ],
  ACM283: [
    "ACM283 3:7 error: @choice: 'm' is none of the values | Write one of s, l, then the text that users see.",
  ],
  ACM284: [
    "ACM284 15:58 error: InputRequired asks for 'consens', and the method has no parameter consens?: Elicited<…> | Add the parameter, or give a form: { message, schema }. Did you mean 'consent'?",
  ],
}

/** The samples have no more texts than they need. */
const withoutTexts = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
  found.filter(({ code }) => code !== 'ACM375')

t.test('each mistake is told with its place and what to do', async (t) => {
  for (const [code, lines] of Object.entries(expected)) {
    const samples = diagnosticEntries().find(({ name }) => name === code)?.samples ?? []
    const text = (label: string): string => samples.find((sample) => sample.label === label)?.text ?? ''
    const reported = withoutTexts(judged(text('wrong'))).map(
      ({ code, severity, at, message, hint }) =>
        `${code} ${at.line}:${at.column} ${severity}: ${message} | ${hint}`,
    )
    t.strictSame(reported, lines, code)
    t.strictSame(withoutTexts(judged(text('right'))), [], `${code}, mended`)
  }
})
