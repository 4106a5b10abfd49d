/** Components that have another name than before, or none: generated clients, `generated/client.ts` too, name their types so. What is
 *  compared is what stands at one place of both documents, whatever is in it. */
import type { JsonSchema } from '../../runtime/contract/mcp.ts'
import type { Definitions } from './schemas/alternatives.ts'
import { isSame, isSchemaObject, itemsOf } from './schemas/json.ts'

/** An operation that is in both documents. */
export interface OperationPair {
  readonly address: string
  readonly before: unknown
  readonly after: unknown
}

/** The names and schemas of the components of both documents. */
export interface ComponentPair {
  readonly names: readonly [before: ReadonlySet<string>, after: ReadonlySet<string>]
  readonly definitions: readonly [before: Definitions, after: Definitions]
}

export interface RenamedType {
  readonly before: string
  /** null = the type has no name any more. */
  readonly after: string | null
  /** Operations that use it. */
  readonly usedBy: readonly string[]
}

/** A document of somebody else may be of any size. */
const mostSteps = 500_000

/** Each type whose name is gone, or means another type now while its own is new; once. */
export function renamedTypes(
  operations: readonly OperationPair[],
  components: ComponentPair,
): readonly RenamedType[] {
  const [before, after] = components.names
  const isGone = (name: string): boolean => !after.has(name)
  const isNew = (name: string | null): boolean => name !== null && !before.has(name)
  if (![...before].some(isGone) && ![...after].some(isNew)) return []
  const walk = new PairWalk(components.definitions)
  for (const { address, before, after } of operations) walk.operation(address, before, after)
  return [...walk.pairs].flatMap(([name, partners]) => {
    if (partners.has(name)) return []
    const found = [...partners].filter(([partner]) => isGone(name) || isNew(partner))
    const named = found.filter(([partner]) => partner !== null)
    return (named.length > 0 ? named : found).map(([partner, users]) => ({
      before: name,
      after: partner,
      usedBy: walk.operationsOf(users),
    }))
  })
}

/** The operation, or the pair of components, in which a pair of references stands. */
type User = string

class PairWalk {
  /** By the name before: what stands in its place, null = a schema without a name. */
  readonly pairs = new Map<string, Map<string | null, Set<User>>>()
  readonly #definitions: ComponentPair['definitions']
  readonly #operations = new Set<User>()
  #steps = 0

  constructor(definitions: ComponentPair['definitions']) {
    this.#definitions = definitions
  }

  operation(address: string, before: unknown, after: unknown): void {
    this.#operations.add(address)
    this.#parts(before, after, address)
  }

  /** Upwards from those that use a type. */
  operationsOf(users: ReadonlySet<User>): readonly string[] {
    const all = new Set(users)
    for (const user of all) {
      this.#steps += 1
      if (this.#steps > 2 * mostSteps) break
      if (this.#operations.has(user)) continue
      const [before = '', after = ''] = user.split(' ')
      for (const next of this.pairs.get(before)?.get(after) ?? []) all.add(next) // it grows as it is walked
    }
    return [...all].filter((user) => this.#operations.has(user))
  }

  #parts(before: unknown, after: unknown, user: User): void {
    this.#steps += 1
    if (this.#steps > mostSteps) return
    if (Array.isArray(before)) this.#items(before, itemsOf(after), user)
    else if (isSchemaObject(before) && typeof before.$ref === 'string')
      this.#reference(before.$ref, after, user)
    else if (isSchemaObject(before) && isSchemaObject(after)) this.#fields(before, after, user)
  }

  #fields(before: JsonSchema, after: JsonSchema, user: User): void {
    for (const [name, value] of Object.entries(before))
      if (Object.hasOwn(after, name)) this.#parts(value, after[name], user)
  }

  /** Members of a union may have changed their places. */
  #items(before: readonly unknown[], after: readonly unknown[], user: User): void {
    const rest = [...after]
    const changed = before.filter((item) => {
      const place = rest.slice(0, mostItems).findIndex((other) => isSame(item, other))
      if (place < 0) return true
      rest.splice(place, 1)
      this.#parts(item, item, user)
      return false
    })
    for (const [place, item] of changed.entries()) if (place in rest) this.#parts(item, rest[place], user)
  }

  #reference(before: string, after: unknown, user: User): void {
    const reference = isSchemaObject(after) ? after.$ref : undefined
    if (reference !== undefined && typeof reference !== 'string') return
    const [from, to] = [before, reference].map((each) => (each === undefined ? null : nameIn(each)))
    if (from == null || (to == null && (reference !== undefined || !isSchemaObject(after)))) return
    const partners = this.pairs.get(from) ?? new Map<string | null, Set<User>>()
    this.pairs.set(from, partners)
    const known = partners.get(to ?? null)
    if (known !== undefined) {
      known.add(user)
      return
    }
    partners.set(to ?? null, new Set([user]))
    const schemas = [
      this.#definitions[0](before),
      reference === undefined ? null : this.#definitions[1](reference),
    ]
    const [old, current] = schemas
    if (old == null) return
    if (current == null) this.#parts(old.schema, after, user)
    else this.#parts(old.schema, current.schema, `${from} ${to}`)
  }
}

/** As many of a list are looked through for one that is the same. */
const mostItems = 50

const nameIn = (reference: string): string | null =>
  /^#\/components\/schemas\/([^/]+)$/.exec(reference)?.[1] ?? null
