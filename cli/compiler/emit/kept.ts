/** What was printed of a controller or a named schema is kept while neither it nor a schema that it reaches changes: most
 *  of the next build is the same. Objects of the model are never edited, so that an object stands for its content. */
import type { Action, Controller, Model, NamedSchema, Schema } from '../model.ts'
import { reachable, schemaNamed } from './type-text.ts'

type Owner = Controller | NamedSchema

/** What holds as long as these schemas are the ones of their names. */
interface Ground {
  readonly reached: readonly NamedSchema[]
  /** The list for which that was looked at last. */
  seen: readonly NamedSchema[]
}

const grounds = new WeakMap<Owner, Ground>()

function groundOf(owner: Owner, named: readonly NamedSchema[]): Ground {
  const known = grounds.get(owner)
  if (known?.seen === named) return known
  if (known?.reached.every((one) => schemaNamed(one.name, named) === one) === true) {
    known.seen = named
    return known
  }
  const ground = { reached: reachable(schemasOf(owner), named), seen: named }
  grounds.set(owner, ground)
  return ground
}

function schemasOf(owner: Owner): readonly Schema[] {
  return 'schema' in owner ? [owner.schema] : owner.actions.flatMap(schemasOfAction)
}

/** Every schema that stands at a route: of parameters, answers, filters and handlers. */
function schemasOfAction({ filters, handlers, ...action }: Action): readonly Schema[] {
  const params = [action, ...filters, ...handlers].flatMap((one) => one.params)
  const results = [...action.results, ...action.errors, ...handlers.flatMap((one) => one.results)]
  return [...params.map(({ schema }) => schema), ...results.flatMap(({ schema }) => schema ?? [])]
}

/** `make` of an owner; `context` is everything else that it depends on. */
export type Keeper<T> = (
  owner: Owner,
  named: readonly NamedSchema[],
  given: { readonly context: string; readonly make: () => T },
) => T

/** Keeps what one kind of text comes to. Its name is its own; values are plain data. */
export function keeper<T>(_name: string): Keeper<T> {
  const values = new WeakMap<Ground, { readonly context: string; readonly value: T }>()
  return (owner, named, { context, make }) => {
    const ground = groundOf(owner, named)
    const known = values.get(ground)
    if (known?.context === context) return known.value
    const value = make()
    values.set(ground, { context, value })
    return value
  }
}

/** What the application says beside its controllers and schemas. */
export function contextOf({ controllers: _controllers, schemas: _schemas, ...rest }: Model): string {
  return JSON.stringify(rest)
}

/** The same text object for the same text as the last time: one object is compared at a glance. */
export function sameText(): (text: string) => string {
  let last = ''
  return (text) => {
    if (text !== last) last = text
    return last
  }
}
