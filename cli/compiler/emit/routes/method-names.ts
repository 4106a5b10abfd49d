/** The names by which callers know routes: of a controller, and of each of its methods. */
import type { Action, Controller } from '../../ir/model.ts'

/** `user_groups` → `userGroups`. */
export const camelCase = (id: string): string =>
  id.replace(/_+([a-z0-9])/g, (_found, letter: string) => letter.toUpperCase())

/** A route, by the name of its method. */
export interface NamedAction {
  readonly name: string
  readonly action: Action
}

/** One a method, and one more for each further path of it; for each further route where the verb counts. Shorter addresses
 *  are optional parameters. */
export function namedActions(
  { id, actions }: Controller,
  by: 'path' | 'route' = 'path',
): readonly NamedAction[] {
  const full = actions.filter(({ shortOf }) => shortOf === null)
  const plain = full.filter((action) => isPlain(action, full))
  const others = full.filter(
    (action) =>
      !plain.includes(action) &&
      (by === 'route' || !plain.some(({ method, path }) => method === action.method && path === action.path)),
  )
  const ordered = full.filter((action) => plain.includes(action) || others.includes(action))
  return ordered.map((action) => ({
    name: plain.includes(action) ? action.method : camelCase(action.id.slice(id.length + 1)),
    action,
  }))
}

/** Whether the action has the shortest id of its method: the others add their verb. */
const isPlain = (action: Action, all: readonly Action[]): boolean =>
  all.every(({ method, id }) => method !== action.method || id.length >= action.id.length)

/** The address without a slash at its end; `?:name` is a variable that may be left out. */
export const openPath = ({ path, optional }: Action): string =>
  path
    .replace(/(.)\/$/, '$1')
    .replace(/\/:(\w+)/g, (segment, variable: string) =>
      optional.includes(variable) ? `/?:${variable}` : segment,
    )
