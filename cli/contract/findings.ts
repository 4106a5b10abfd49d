/** What was found between two contracts, and who notices. */
import type { RuleName } from './rules.ts'

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

/** One finding for each thing that happened: what HTTP and tools both notice is told once, and so is what several uses of a
 *  definition notice. */
export function merged(found: readonly ContractChange[]): readonly ContractChange[] {
  const known = new Map<string, ContractChange>()
  for (const finding of found) {
    const key = keyOf(finding)
    const other = known.get(key)
    known.set(key, other === undefined ? finding : together(other, finding))
  }
  return [...known.values()]
}

/** Of these several may happen at one place. */
const ofValues: ReadonlySet<RuleName> = new Set([
  ...(['inputValueGone', 'outputValueNew', 'inputMediaTypeGone', 'outputMediaTypeGone'] as const),
])

function keyOf({ rule, subject, path, before, after }: ContractChange): string {
  const place = subject.route ?? `${subject.kind} ${subject.name}`
  return JSON.stringify([rule, place, path, ...(ofValues.has(rule) ? [before ?? null, after ?? null] : [])])
}

function together(one: ContractChange, other: ContractChange): ContractChange {
  const [first = one, second = other] = one.subject.kind === 'tool' ? [other, one] : [one, other]
  return {
    ...first,
    hits: (['HTTP', 'tools'] as const).filter((audience) => [...one.hits, ...other.hits].includes(audience)),
    usedBy: [...new Set([...first.usedBy, ...second.usedBy])],
  }
}

/** `POST /api/orders total`: what people write to name it. */
export const placeText = ({ subject, path }: ContractChange): string =>
  path === '' ? subject.name : `${subject.name} ${path}`

export interface Told {
  /** Inside of the subject; none = the whole. */
  readonly path?: string
  readonly tag?: string | null
  readonly before?: unknown
  readonly after?: unknown
}

export type Tell = (rule: RuleName, subject: ChangedPart, told?: Told) => ContractChange

/** What one kind of caller notices. */
export const noticedBy =
  (user: ContractUser): Tell =>
  (rule, subject, { path = '', tag = null, before, after } = {}) => ({
    ...{ rule, subject, path, tag, before, after },
    hits: [user],
    usedBy: [],
  })
