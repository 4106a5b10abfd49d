/** The grammar of `@mcp budget 20000`. */
import type { Reporter, Tag } from '../../compiler/read/jsdoc/tag.ts'
import { badBudget } from './diagnostics.ts'

const [leastChars, maxChars] = [1000, 1_000_000]

/** `budget 20000`; null after a report. */
export function readBudget(source: Reporter, tag: Tag): number | null {
  const written = tag.text.slice('budget'.length).trim()
  const refuse = (why: string, meant = ''): null => {
    source.report(badBudget(tag.at, why, meant))
    return null
  }
  if (written === '') return refuse('says nothing')
  if (!/^[1-9]\d*$/.test(written)) return refuse(`cannot be '${written}'`, charsMeantBy(written))
  const chars = Number(written)
  return chars >= leastChars && chars <= maxChars ? chars : refuse(`cannot be ${written}`)
}

/** `=20000`, `20kb`, `20_000` and `5000 tokens`, of which one is about four characters. */
function charsMeantBy(written: string): string {
  const [, digits = '', unit = ''] = /^=?\s*([\d_,.]+?)\s*([a-z]*)$/i.exec(written) ?? []
  const factors: ReadonlyMap<string, number> = new Map([
    ...['', 'b', 'bytes', 'chars', 'characters'].map((word) => [word, 1] as const),
    ...['k', 'kb', 'kib'].map((word) => [word, 1000] as const),
    ...['m', 'mb', 'mib'].map((word) => [word, 1_000_000] as const),
    ...['token', 'tokens'].map((word) => [word, 4] as const),
  ])
  const factor = factors.get(unit.toLowerCase())
  const chars = Number(digits.replace(/[_,.]/g, '')) * (factor ?? Number.NaN)
  return chars >= leastChars && chars <= maxChars ? ` Did you mean ${chars}?` : ''
}
