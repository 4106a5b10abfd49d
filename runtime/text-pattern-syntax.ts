/** The syntax of regular expressions that can be matched without going back: characters, classes, groups, alternatives, repeats, and `^`
 *  and `$` at the ends. */
// Source: ECMA-262, 22.2.1, with the flag u.

export type Pattern =
  | { readonly kind: 'character'; readonly is: (character: string) => boolean }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly least: number; readonly most: number }

export interface ParsedPattern {
  readonly pattern: Pattern
  readonly isFromStart: boolean
  readonly isToEnd: boolean
}

/** Null: it has something else. `source` must compile. */
export function parsePattern(source: string): ParsedPattern | null {
  const tokens = source.match(token) ?? []
  const isFromStart = tokens[0] === '^'
  const isToEnd = tokens.at(-1) === '$'
  const inside = tokens.slice(isFromStart ? 1 : 0, isToEnd ? -1 : undefined)
  if (inside.some((each) => beyond.test(each))) return null
  const pattern = choiceOf(inside.reverse())
  const isAlone = pattern.parts.length === 1 // else an end is of one alternative
  return isAlone || !(isFromStart || isToEnd) ? { pattern, isFromStart, isToEnd } : null
}

const token =
  /\\(?:k<[^>]*>|[pPu]\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|\d+|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu

/** Looks around, references, ends inside, and groups that change how they match. */
const beyond = /^(?:\(\?(?:<?[=!]|[a-z-]+:)|\\(?:[1-9]|k<|[bB])|[\^$])/

type Choice = { readonly kind: 'choice'; readonly parts: Pattern[] }

/** Takes what it reads from the end of `tokens`, to the bracket that closes. */
function choiceOf(tokens: string[]): Choice {
  const choice: Choice = { kind: 'choice', parts: [] }
  let parts: Pattern[] = []
  const close = (): void => {
    choice.parts.push({ kind: 'sequence', parts })
    parts = []
  }
  for (let next = tokens.pop(); next !== undefined && next !== ')'; next = tokens.pop()) {
    const last = repeat.test(next) ? parts.pop() : undefined
    if (last !== undefined) parts.push({ kind: 'repeat', part: last, ...timesOf(next) })
    else if (next === '|') close()
    else parts.push(next.startsWith('(') ? choiceOf(tokens) : { kind: 'character', is: characterOf(next) })
  }
  close()
  return choice
}

const repeat = /^(?:[*+?]|\{\d)/

function timesOf(written: string): { readonly least: number; readonly most: number } {
  const [, least = '', comma, most = ''] = /^\{(\d+)(,)?(\d*)/.exec(written) ?? []
  if (least !== '')
    return {
      least: Number(least),
      most: comma === undefined ? Number(least) : most === '' ? Infinity : Number(most),
    }
  return { least: written.startsWith('+') ? 1 : 0, most: written.startsWith('?') ? 1 : Infinity }
}

function characterOf(written: string): (character: string) => boolean {
  if (written === '[\\s\\S]') return () => true
  if (!/^[\\[.]/.test(written)) return (character) => character === written
  const exp = new RegExp(`^${written}$`, 'u')
  return (character) => exp.test(character)
}
