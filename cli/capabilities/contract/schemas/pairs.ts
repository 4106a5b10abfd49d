/** What differs between two schemas, and where they stand. */
import { isSame, recordOf } from './json.ts'

/** The side that writes values of the schema: the caller, or the server. */
export type Direction = 'input' | 'output'

/** `type`: no alternative of that JSON type is left. `value`: one of a list. `bound`: a keyword is narrower. `required`: a
 *  property must be there. `gone`, `added`: a property. `closed`: no further properties. `unknown`: the schemas do not tell. `renamed`:
 *  a component has another name, or none. `default`, `secret`, `untrusted`, `text`: what is said beside it. */
export type DifferenceKind =
  | ('type' | 'value' | 'bound' | 'required' | 'gone' | 'added' | 'closed' | 'unknown')
  | ('renamed' | 'default' | 'secret' | 'untrusted' | 'text')

export interface SchemaDifference extends SchemaPlace {
  readonly kind: DifferenceKind
  /** Whether a caller that knew the old schema is served all the same. */
  readonly isCompatible: boolean
  readonly before: unknown
  readonly after: unknown
}

export interface SchemaPlace {
  /** The definition in which it stands; null = the schema itself. */
  readonly owner: string | null
  /** From the owner down: properties by name, `[]` for items, `[0]` for one of a tuple, `*` for further properties. */
  readonly path: readonly string[]
  /** Whether it is a secret property, or inside of one. */
  readonly isSecret: boolean
}

interface Run {
  readonly direction: Direction
  /** What the old one did not let through: it makes nothing worse. */
  readonly isReverse: boolean
}

export interface Pair {
  readonly before: unknown
  readonly after: unknown
  readonly at: SchemaPlace
  readonly run: Run
}

/** Whether everything of the old one must be let through by the new one. */
export const isForward = ({ direction, isReverse }: Run): boolean => (direction === 'input') !== isReverse

/** What is before and after, as what is let through and what lets through; and the other way round. */
export const turned = <T>(run: Run, [first, other]: readonly [T, T]): readonly [T, T] =>
  isForward(run) ? [first, other] : [other, first]

export const below = (node: Pair, step: string): Pair => ({
  ...node,
  at: { ...node.at, path: [...node.at.path, step] },
})

export const whole = (owner: string): SchemaPlace => ({ owner, path: [], isSecret: false })

/** With what one of the schemas says of all that is in it. */
export const insideOf = (pair: Pair, schemas: readonly unknown[]): Pair => {
  const isSecret = schemas.some((schema) => recordOf(schema)['x-acmcp-secret'] === true)
  return isSecret ? { ...pair, at: { ...pair.at, isSecret } } : pair
}

export const differenceOf = (
  kind: DifferenceKind,
  { at, run }: Pair,
  [sub, sup]: readonly [unknown?, unknown?],
): SchemaDifference => {
  const [before, after] = turned(run, [sub, sup])
  return { ...at, kind, isCompatible: run.isReverse, before, after }
}

const saidBeside = [
  ['default', 'default'],
  ['secret', 'x-acmcp-secret'],
  ['untrusted', 'x-acmcp-untrusted'],
  ['text', 'description'],
  ['text', 'title'],
] as const

/** What is said of a value beside which values there are. */
export function besides({ before, after, at, run }: Pair, inner: SchemaPlace): readonly SchemaDifference[] {
  const [from, to] = [recordOf(before), recordOf(after)]
  if (run.isReverse) return []
  return saidBeside.flatMap(([kind, keyword]) => {
    if (isSame(from[keyword], to[keyword])) return []
    const isMark = kind === 'secret' || kind === 'untrusted'
    const isCompatible = kind === 'text' || (isMark && to[keyword] === true)
    const place = kind === 'secret' ? at : inner
    return [{ ...place, kind, isCompatible, before: from[keyword], after: to[keyword] }]
  })
}

export const isStopping = ({ kind }: SchemaDifference): boolean => !harmless.has(kind)

const harmless: ReadonlySet<string> = new Set([
  ...['added', 'renamed', 'default', 'secret', 'untrusted', 'text'],
])
