/** Whether a regular expression repeats what itself may match in several ways, as `^(a+)+$`, `(a|a)*` and `(.*a){20}` do: a text that
 *  almost matches then takes twice as long for each character more. A look at the syntax, linear in the pattern; what begins or ends
 *  each repeat with a character of its own, as `(-[a-z]+)*` does, is told apart. */

/** `pattern` must compile with the flag `u`. */
export function hasNestedQuantifiers(pattern: string): boolean {
  const open: Group[] = [group('')]
  for (const [token] of pattern.matchAll(tokens)) {
    const inner = open.at(-1) ?? group('')
    if (token.startsWith('(')) open.push(group(token))
    else if (token === '|') inner.alternatives.push([])
    else if (token === ')') {
      open.pop()
      append(open.at(-1), closed(inner))
    } else if (quantifier.test(token)) {
      if (repeat(inner, token)) return true
    } else if (!/^(?:\^|\$|\\[bB])$/.test(token)) append(inner, [atomOf(token)])
  }
  return false
}

const tokens =
  /\\(?:k<[^>]*>|[pPu]\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|\d+|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gisu
const quantifier = /^(?:[*+?]|\{\d)/

/** Something that matches. */
interface Atom {
  /** Which of the sample characters may stand in it, as bits; null = not known. */
  readonly chars: bigint | null
  /** One character, no more and no less. */
  readonly isSingle: boolean
  /** It may match shorter or longer. */
  readonly varies: boolean
  /** It has alternatives that may match the same. */
  readonly overlaps: boolean
}

interface Group {
  readonly isLookaround: boolean
  readonly alternatives: Atom[][]
}

const group = (token: string): Group => ({ isLookaround: /[=!]$/.test(token), alternatives: [[]] })

const append = (to: Group | undefined, atoms: readonly Atom[]): void => {
  to?.alternatives.at(-1)?.push(...atoms)
}

/** What a group is to the one around it: itself, so that a quantifier finds it. */
function closed({ isLookaround, alternatives }: Group): readonly Atom[] {
  if (isLookaround) return []
  const all = alternatives.flat()
  const isSingle = alternatives.length === 1 && all.length === 1 && all[0]?.isSingle === true
  const made: GroupAtom = {
    chars: all.reduce<bigint | null>(
      (sum, { chars }) => (sum === null || chars === null ? null : sum | chars),
      0n,
    ),
    isSingle,
    varies: all.some(({ varies }) => varies),
    overlaps: all.some(({ overlaps }) => overlaps) || areAlike(alternatives),
    alternatives,
  }
  return [made]
}

interface GroupAtom extends Atom {
  readonly alternatives: readonly (readonly Atom[])[]
}

/** Puts a quantifier to the last atom. True where it repeats what may match in several ways. */
function repeat(inner: Group, token: string): boolean {
  const atoms = inner.alternatives.at(-1)
  const last = atoms?.pop()
  if (atoms === undefined || last === undefined) return false // of a lookaround
  const [least, most] = boundsOf(token)
  if (most >= manyTimes && (last.overlaps || (last.varies && !isSeparated(last)))) return true
  atoms.push({ ...last, isSingle: false, varies: last.varies || least !== most })
  return false
}

/** Fewer repeats take no more time than a text of ordinary length. */
const manyTimes = 10

function boundsOf(token: string): readonly [least: number, most: number] {
  if (token.startsWith('*')) return [0, Infinity]
  if (token.startsWith('+')) return [1, Infinity]
  if (token.startsWith('?')) return [0, 1]
  const [, least = '', comma, most = ''] = /^\{(\d+)(,)?(\d*)/.exec(token) ?? []
  return [Number(least), comma === undefined ? Number(least) : most === '' ? Infinity : Number(most)]
}

/** Whether each repeat begins, or ends, with a character that stands nowhere else in it. */
function isSeparated(atom: Atom): boolean {
  const alternatives = 'alternatives' in atom ? (atom as GroupAtom).alternatives : [] // made by `closed`
  const [only, other] = alternatives
  if (only === undefined || other !== undefined) return false
  const isDisjoint = (item: Atom | undefined): boolean =>
    item?.isSingle === true && only.every((each) => each === item || areDisjoint(each, item))
  return isDisjoint(only[0]) || isDisjoint(only.at(-1))
}

const areDisjoint = (atom: Atom, other: Atom): boolean =>
  atom.chars !== null && other.chars !== null && (atom.chars & other.chars) === 0n

/** Whether two alternatives may begin alike as far as both are plain characters. Of very many only neighbours are compared. */
function areAlike(alternatives: readonly (readonly Atom[])[]): boolean {
  const reach = alternatives.length > maxCompared ? 1 : maxCompared
  return alternatives.some((alternative, index) =>
    alternatives
      .slice(index + 1, index + 1 + reach)
      .some((other) => !alternativesAreDisjoint(alternative, other)),
  )
}

const maxCompared = 50

function alternativesAreDisjoint(item: readonly Atom[], other: readonly Atom[]): boolean {
  for (const [index, atom] of item.entries()) {
    const beside = other[index]
    if (beside === undefined || !atom.isSingle || !beside.isSingle) return isDisjointHere(atom, beside)
    if (areDisjoint(atom, beside)) return true
  }
  return false
}

/** The last place that is sure: what begins with other characters is another. */
const isDisjointHere = (atom: Atom, beside: Atom | undefined): boolean =>
  beside !== undefined && !canBeEmpty(atom) && !canBeEmpty(beside) && areDisjoint(atom, beside)

/** What varies may be left out. */
const canBeEmpty = ({ varies }: Atom): boolean => varies

/** ASCII, and a few beyond it. */
const samples = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'\u00a0é中\u2028😀',
]

function atomOf(token: string): Atom {
  if (/^\\(?:[1-9]|k<)/.test(token)) return { chars: null, isSingle: false, varies: true, overlaps: false }
  const exp = new RegExp(`^(?:${token})$`, 'su')
  const chars = samples.reduce(
    (sum, sample, index) => (exp.test(sample) ? sum | (1n << BigInt(index)) : sum),
    0n,
  )
  return { chars: chars === 0n ? null : chars, isSingle: true, varies: false, overlaps: false }
}
