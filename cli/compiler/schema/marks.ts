/** Secret and untrusted properties of what a route answers: whether there are any, where they are, and what is left when the
 *  secret ones are left out. Where nothing is marked everything is as it was. */
import { memoize } from '../cache/memoize.ts'
import type { Action } from '../ir/model.ts'
import type { Marks, NamedSchema, Property, Schema } from '../ir/schema.ts'
import { childrenOf, type Of, type PartialVisitor, partsOf, visitSome } from '../ir/schema-walk.ts'
import { schemaNamed } from './references.ts'

type Named = readonly NamedSchema[]
type Mark = keyof Marks
/** A mark of properties, or that an object withholds some. */
type Trait = Mark | 'withholds'

/** The names whose inside has a marked property at any depth. */
type Reaching = Readonly<Record<Trait, ReadonlySet<string>>>

const reachingOf = memoize(
  (named: Named): Reaching => ({
    isSecret: namesReaching('isSecret', named),
    isUntrusted: namesReaching('isUntrusted', named),
    isWriteOnly: namesReaching('isWriteOnly', named),
    withholds: namesReaching('withholds', named),
  }),
)

function namesReaching(trait: Trait, named: Named): ReadonlySet<string> {
  const names = new Set(named.filter(({ schema }) => partsOf(schema)[trait]).map(({ name }) => name))
  for (const name of names)
    for (const other of named) if (partsOf(other.schema).refs.includes(name)) names.add(other.name) // grows as it is walked
  return names
}

/** Whether a property or object inside has the trait, at any depth. */
export function hasMark(trait: Trait, schema: Schema, named: Named): boolean {
  const parts = partsOf(schema)
  const names = reachingOf(named)[trait]
  return parts[trait] || (names.size > 0 && parts.refs.some((name) => names.has(name)))
}

/** Whether anything that a route answers has the trait: what its method returns, or what its exception handlers make. */
export const answersMarked = (trait: Trait, { results, errors, handlers }: Action, named: Named): boolean =>
  [
    ...results,
    ...errors,
    ...handlers.flatMap(({ returned, rendered }) => [{ schema: returned }, ...rendered]),
  ].some(({ schema }) => schema !== null && hasMark(trait, schema, named))

/** Longer lists are cut: readers stop long before 100. */
const maxPaths = 100

/** Where the marked properties of a value are, sorted: `owner.hash`, `comments[].body`, `byName{}.note`. Inside itself a type
 *  says it once. */
export function pathsOf(mark: Mark, schema: Schema, named: Named): readonly string[] {
  const found = new Set<string>()
  addPaths(schema, { mark, named, found }, { path: '', open: [] })
  return [...found].sort()
}

/** Where the marked properties of a route's successes are. */
export const pathsIn = (mark: Mark, { results }: Action, named: Named): readonly string[] => [
  ...new Set(results.flatMap(({ schema }) => (schema === null ? [] : pathsOf(mark, schema, named)))),
]

interface Search {
  readonly mark: Mark
  readonly named: Named
  readonly found: Set<string>
}

interface Place {
  readonly path: string
  /** The named types around. */
  readonly open: readonly string[]
}

function addPaths(schema: Schema, search: Search, { path, open }: Place): void {
  const { mark, named, found } = search
  if (found.size >= maxPaths || !hasMark(mark, schema, named)) return
  for (const property of schema.kind === 'object' ? schema.properties : []) {
    const at = path === '' ? stepOf(property) : `${path}.${stepOf(property)}`
    if (property[mark]) found.add(at)
    else if (!property.isSecret) addPaths(property.schema, search, { path: at, open })
  }
  for (const [step, inner] of insideOf(schema)) addPaths(inner, search, { path: `${path}${step}`, open })
  const target = schema.kind === 'ref' && !open.includes(schema.name) ? schemaNamed(schema.name, named) : null
  if (target !== null) addPaths(target.schema, search, { path, open: [...open, target.name] })
}

/** What stands inside, but for properties, and how paths go on to it. */
const insideOf = (schema: Schema): Steps =>
  visitSome(schema, steps, null) ?? childrenOf(schema).map((inner) => ['', inner])

type Steps = readonly (readonly [step: string, inner: Schema])[]

const steps: PartialVisitor<Steps> = {
  object: ({ named, rest }) =>
    [...named, ...(rest === null ? [] : [rest])].map(({ values }) => ['{}', values]),
  record: ({ values }) => [['{}', values]],
  array: ({ items }) => [['[]', items]],
  events: ({ items }) => [['[]', items]],
  tuple: ({ items, rest }) => [
    ...items.map((item, index) => [`[${index}]`, item] as const),
    ...(rest === null ? [] : [['[]', rest] as const]),
  ],
}

export const stepOf = ({ name }: Property): string => (/^[\w$-]+$/.test(name) ? name : JSON.stringify(name))

/** The first secret property of which `value` has one, with dots between names; null = it has none. */
export function secretIn(schema: Schema, value: unknown, named: Named): string | null {
  if (typeof value !== 'object' || value === null || !hasMark('isSecret', schema, named)) return null
  if (schema.kind === 'object') return secretInObject(schema, value, named)
  const target = schema.kind === 'ref' ? schemaNamed(schema.name, named) : null
  const inside = target === null ? childrenOf(schema) : [target.schema]
  const values = ['array', 'tuple', 'record'].includes(schema.kind) ? Object.values(value) : [value]
  return firstOf(inside, (inner) => firstOf(values, (item) => secretIn(inner, item, named)))
}

function secretInObject(schema: Of<'object'>, value: object, named: Named): string | null {
  return firstOf(Object.entries(value), ([name, item]: readonly [string, unknown]) => {
    const property = schema.properties.find((each) => each.name === name)
    if (property?.isSecret) return name
    const schemas = property === undefined ? insideOf(schema).map(([, inner]) => inner) : [property.schema]
    const found = firstOf(schemas, (inner) => secretIn(inner, item, named))
    return found === null ? null : `${name}.${found}`
  })
}

/** What `find` finds first. */
function firstOf<T>(items: readonly T[], find: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = find(item)
    if (found !== null) return found
  }
  return null
}
