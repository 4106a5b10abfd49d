/** What was printed of a controller or a named schema is kept while neither it nor a schema that it reaches changes: most
 *  of the next build is the same. Objects of the model are never edited, so that an object stands for its content. What is
 *  kept is plain data: `notes.ts` writes it down for the next process. */
import type { Action, Controller } from '../ir/model.ts'
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { reachable, reachedBy, schemaNamed } from '../schema/references.ts'

export type Owner = Controller | NamedSchema

/** What holds as long as these schemas are the ones of their names. */
export interface Ground {
  readonly reached: readonly NamedSchema[]
  /** The list for which that was looked at last. */
  seen: readonly NamedSchema[] | null
  /** What each keeper keeps, by its number, and what that depends on beside schemas. */
  readonly values: unknown[]
  readonly contexts: (string | undefined)[]
  /** How often something was put there: who writes it down sees whether there is more. */
  version: number
}

const grounds = new WeakMap<Owner, Ground>()

/** What is kept of `owner`, whether or not it still holds; null = nothing. */
export const keptOf = (owner: Owner): Ground | null => grounds.get(owner) ?? null

/** Takes back what was kept of `owner` in another process. */
export function restore(
  owner: Owner,
  { reached, values, contexts }: Pick<Ground, 'reached' | 'values' | 'contexts'>,
): Ground {
  const ground = { reached, seen: null, values, contexts, version: 0 }
  grounds.set(owner, ground)
  return ground
}

function groundOf(owner: Owner, named: readonly NamedSchema[]): Ground {
  const known = grounds.get(owner)
  if (known?.seen === named) return known
  if (known?.reached.every((one) => schemaNamed(one.name, named) === one) === true) {
    known.seen = named
    return known
  }
  const reached = 'schema' in owner ? reachedBy(owner, named) : reachable(schemasOf(owner), named)
  const ground = { reached, seen: named, values: [], contexts: [], version: 0 }
  grounds.set(owner, ground)
  return ground
}

const schemasOf = ({ actions }: Controller): readonly Schema[] => actions.flatMap(schemasOfAction)

/** Every schema that stands at a route: of parameters, answers, filters and handlers. */
function schemasOfAction({ filters, handlers, ...action }: Action): readonly Schema[] {
  const params = [action, ...filters, ...handlers].flatMap((one) => one.params)
  const results = [...action.results, ...action.errors, ...handlers.flatMap((one) => one.results)]
  return [...params.map(({ schema }) => schema), ...results.flatMap(({ schema }) => schema ?? [])]
}

/** Does something with what is kept of an owner; `context` is everything else that it depends on. */
type Doing<Given, Result> = (
  owner: Owner,
  named: readonly NamedSchema[],
  given: { readonly context: string } & Given,
) => Result

/** `make` of an owner. */
export interface Keeper<T> extends Doing<{ readonly make: () => T }, T> {
  /** Keeps `value` in place of what was made. */
  readonly replace: Doing<{ readonly value: T }, void>
}

const names: string[] = []

/** The names of all keepers, by number. */
export const keeperNames = (): readonly string[] => names

/** Keeps what one kind of text comes to. No two have one name; values are what JSON can hold, and outlive the process. */
export function keeper<T>(name: string): Keeper<T> {
  if (names.includes(name)) throw new Error(`two keepers are named ${name}`) // our bug
  const number = names.push(name) - 1
  const isSame = comparison()
  const put = (ground: Ground, context: string, value: T): T => {
    ground.values[number] = value
    ground.contexts[number] = context
    ground.version += 1
    return value
  }
  const keep: Doing<{ readonly make: () => T }, T> = (owner, named, { context, make }) => {
    const ground = groundOf(owner, named)
    if (!isSame(ground.contexts[number], context)) return put(ground, context, make())
    return ground.values[number] as T // what this keeper put there, in this process or another
  }
  const replace: Keeper<T>['replace'] = (owner, named, { context, value }) =>
    void put(groundOf(owner, named), context, value)
  return Object.assign(keep, { replace })
}

/** Whether two texts are the same; long ones that were found to be are not compared again. */
function comparison(): (known: string | undefined, text: string) => boolean {
  let [last, same] = ['', '']
  return (known, text) => {
    if (known === last && text === same) return true // at a glance when they are the objects of before
    if (known !== text) return false
    last = known
    same = text
    return true
  }
}
