/** FieldValues that are compared by a table: what it means when one of them is another. */
import type { ChangedPart, ContractChange, Tell } from './findings.ts'
import type { RuleName } from './rules.ts'
import { type FieldValues, fieldPairs, isSame, itemsOf, recordOf, textItems } from './schemas/json.ts'

/** By the field's name; null = it is told elsewhere, or is counted of the rest. */
export type FieldRules = ReadonlyMap<string, RuleName | null | Judge>
type Judge = (from: unknown, to: unknown) => RuleName | null

/** A row for each of the names. */
export const all = (rule: RuleName | null, names: string): readonly (readonly [string, RuleName | null])[] =>
  names.split(' ').map((name) => [name, rule])

/** What a tag says of a route and of its tool, in either document. */
export const tagRules: FieldRules = new Map<string, RuleName | Judge>([
  ['limit', 'limitChanged'],
  ['timeout', 'limitChanged'],
  ['idempotencyKey', (_from, to) => (to === undefined ? 'keyGone' : 'harmless')],
  [
    'approval',
    (from, to) => {
      if (to === undefined) return 'approvalGone'
      if (from === undefined) return 'approvalAdded'
      const [{ sentence: _old, ...before }, { sentence: _new, ...after }] = [recordOf(from), recordOf(to)]
      if (isSame(before, after)) return 'askedText'
      // the callers that pass without being asked
      return before.unless === undefined && after.unless !== undefined ? 'approvalGone' : 'unknown'
    },
  ],
])

interface Compared {
  readonly subject: ChangedPart
  readonly rules: FieldRules
  readonly tell: Tell
}

/** The finding of each field that is another. What no rule knows is `unknown`. */
export function fieldFindings(
  before: unknown,
  after: unknown,
  { subject, rules, tell }: Compared,
): readonly ContractChange[] {
  return fieldPairs(before, after).flatMap(([path, from, to]) => {
    if (isSame(from, to)) return []
    const known = rules.get(path)
    const rule = typeof known === 'function' ? known(from, to) : known
    if (rule === null) return []
    const tag = known === undefined || tagRules.has(path) ? path : null
    return [tell(rule ?? 'unknown', subject, { path, tag, before: from, after: to })]
  })
}

/** What callers need: the harder it is, and the easier. */
export function accessFindings(
  { isHarder, isEasier }: { readonly isHarder: boolean; readonly isEasier: boolean },
  values: FieldValues,
  { subject, tell }: Pick<Compared, 'subject' | 'tell'>,
): readonly ContractChange[] {
  const rules: readonly RuleName[] = [
    ...(isHarder ? (['scopeAdded'] as const) : []),
    ...(isEasier ? (['accessEased'] as const) : []),
  ]
  const reported = rules.length === 0 ? (['harmless'] as const) : rules
  return reported.map((rule) => tell(rule, subject, { tag: 'scope', ...values }))
}

/** The scopes that a caller's token must grant, and the callers that need none. */
export function scopesFindings(
  from: FieldValues,
  to: FieldValues,
  compared: Pick<Compared, 'subject' | 'tell'>,
): readonly ContractChange[] {
  const [before, after] = [
    [from.scopes, from.unless],
    [to.scopes, to.unless],
  ]
  if (isSame(before, after)) return []
  const [needed, needs] = [textItems(from.scopes), textItems(to.scopes)]
  const [spared, spares] = [textItems(from.unless), textItems(to.unless)]
  const lacks = (some: readonly string[], others: readonly string[]): boolean =>
    some.some((scope) => !others.includes(scope))
  const isHarder = lacks(needs, needed) || (needs.length > 0 && needed.length > 0 && lacks(spared, spares))
  const isEasier = lacks(needed, needs) || (needed.length > 0 && lacks(spares, spared))
  return accessFindings({ isHarder, isEasier }, { before, after }, compared)
}

/** Whatever one says, the other says too. */
export const hasAll = (a: unknown, other: unknown): boolean =>
  fieldPairs(a, other).every(([, from, to]) => from === undefined || isSame(from, to))

export const lost = (before: unknown, after: unknown): readonly unknown[] =>
  itemsOf(before).filter((item) => !itemsOf(after).includes(item))
