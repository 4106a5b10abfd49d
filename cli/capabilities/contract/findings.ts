/** What was found between two contracts, and the side that notices. */
import { type RuleName, rule } from './rules.ts'

export type ContractUser = 'HTTP' | 'tools'

/** What a finding is about. Of a definition it is told once, whatever uses it. */
export interface ChangedPart {
  readonly kind: 'route' | 'tool' | 'toolbox' | 'type' | 'prompt' | 'resource' | 'scope' | 'document'
  /** As people call it: `POST /api/orders`, `orders_create`, `Order`. */
  readonly name: string
  /** The route behind a tool: `POST /api/orders`; null = none. */
  readonly route: string | null
}

export interface ContractChange {
  readonly rule: RuleName
  readonly subject: ChangedPart
  /** Inside of the subject, as people write it: `items[].total`; empty = the whole. */
  readonly path: string
  /** The name of the tag, if a tag says it. */
  readonly tag: string | null
  readonly before: unknown
  readonly after: unknown
  readonly hits: readonly ContractUser[]
  /** The routes and tools that use a definition. */
  readonly usedBy: readonly string[]
}

/** One finding for each thing that happened: what both documents tell, and what several uses of a definition do. Words that
 *  models read are told as that, and people read them too. */
export function merged(found: readonly ContractChange[]): readonly ContractChange[] {
  const known = new Map<string, ContractChange>()
  const wordRules = new Map(
    found
      .filter(({ rule: name }) => rule(name).class === 'texts')
      .map((finding) => [placeOf(finding), finding.rule]),
  )
  for (const finding of found) {
    const words = finding.rule === 'documented' ? wordRules.get(placeOf(finding)) : undefined
    const renamed = words === undefined ? finding : { ...finding, rule: words }
    const other = known.get(keyOf(renamed))
    known.set(keyOf(renamed), other === undefined ? renamed : together(other, renamed))
  }
  return [...known.values()]
}

/** Of these several may happen at one place. */
const ofValues: ReadonlySet<RuleName> = new Set<RuleName>([
  'inputValueGone',
  'outputValueNew',
  'inputMediaTypeGone',
  'outputMediaTypeGone',
])

const placeOf = ({ subject: { kind, name, route }, path }: ContractChange): string =>
  JSON.stringify([route ?? `${kind} ${name}`, path === 'summary' ? 'description' : path])

const keyOf = (finding: ContractChange): string => {
  const { rule, before = null, after = null } = finding
  return JSON.stringify([rule, placeOf(finding), ...(ofValues.has(rule) ? [before, after] : [])])
}

/** The words of a tool are its own, all else is told of the route. */
function together(a: ContractChange, other: ContractChange): ContractChange {
  const isTool = a.subject.kind === 'tool'
  const [first, second] = isTool === (a.rule === 'toolText') ? [a, other] : [other, a]
  return {
    ...first,
    hits: (['HTTP', 'tools'] as const).filter((user) => [...a.hits, ...other.hits].includes(user)),
    usedBy: [...new Set([...first.usedBy, ...second.usedBy])],
  }
}

/** `POST /api/orders total`: what people write to name it. */
export const placeText = ({ subject, path }: ContractChange): string =>
  path === '' ? subject.name : `${subject.name} ${path}`

export interface FindingFacts {
  /** Inside of the subject; none = the whole. */
  readonly path?: string
  readonly tag?: string | null
  readonly before?: unknown
  readonly after?: unknown
}

export type Tell = (rule: RuleName, subject: ChangedPart, facts?: FindingFacts) => ContractChange

/** What these callers notice. */
export const noticedBy =
  (...hits: readonly ContractUser[]): Tell =>
  (rule, subject, { path = '', tag = null, before, after } = {}) => ({
    ...{ rule, subject, path, tag, before, after, hits },
    usedBy: [],
  })
