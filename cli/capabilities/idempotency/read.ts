/** The grammar of `@idempotencyKey [required] [transaction]`. */
import { didYouMean } from '../../compiler/diagnostics/similar-names.ts'
import { type Reporter, refuseWord, type Tag, words } from '../../compiler/read/jsdoc/tag.ts'
import type { KeyRule } from './key.ts'

const keyWords = ['required', 'transaction']

export function readKey(source: Reporter, tag: Tag): KeyRule | null {
  const said = words(tag.text)
  const wrong = said.find((word, place) => !keyWords.includes(word) || said.indexOf(word) !== place)
  if (wrong === undefined) return Object.fromEntries(said.map((word) => [word, true]))
  const hint = 'Write @idempotencyKey alone, or with required, transaction or both.'
  refuseWord(source, tag, wrong, [`cannot read '${wrong}'`, hint + didYouMean(wrong, keyWords)])
  return null
}
