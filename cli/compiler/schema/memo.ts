/** What was made of controllers and named schemas, while these and the named schemas that they reach do not change. */
import { memoizeLast } from '../cache/memoize.ts'
import type { Action, Controller } from '../ir/model.ts'
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { reachable, reachedBy, schemaNamed } from './references.ts'

type Named = readonly NamedSchema[]
type Owner = Controller | NamedSchema

/** The schemas that an owner reaches: what was made of it holds as long as these are the ones of their names. */
interface Dependencies {
  readonly schemas: Named
  /** The list that was looked at last. */
  seen: Named
}

/** `make`, once for an owner as long as `key` and what it reaches are the same; what follows the key is not compared. */
export function memo<O extends Owner, Rest extends readonly unknown[], T>(
  make: (owner: O, named: Named, key: string, ...rest: Rest) => T,
): (owner: O, named: Named, key?: string, ...rest: Rest) => T {
  const made = memoizeLast((_of: Dependencies, key: string, owner: O, named: Named, ...rest: Rest) =>
    make(owner, named, key, ...rest),
  )
  return (owner, named, key = '', ...rest) => made(dependenciesOf(owner, named), key, owner, named, ...rest)
}

const known = new WeakMap<Owner, Dependencies>()

function dependenciesOf(owner: Owner, named: Named): Dependencies {
  const last = known.get(owner)
  const isSame = ({ schemas, seen }: Dependencies): boolean =>
    seen === named || schemas.every((schema) => schemaNamed(schema.name, named) === schema)
  if (last !== undefined && isSame(last)) {
    last.seen = named
    return last
  }
  const schemas = 'schema' in owner ? reachedBy(owner, named) : reachable(schemasOf(owner), named)
  const dependencies = { schemas, seen: named }
  known.set(owner, dependencies)
  return dependencies
}

const schemasOf = ({ actions, mcpOnly }: Controller): readonly Schema[] =>
  [...actions, ...mcpOnly].flatMap(schemasOfAction)

/** Every schema that stands at a route: of parameters, answers, filters and handlers. */
function schemasOfAction({ filters, handlers, ...action }: Action): readonly Schema[] {
  const params = [action, ...filters, ...handlers].flatMap((filter) => filter.params)
  const ofHandlers = handlers.flatMap(({ results, returned, rendered }) => [
    ...results,
    { schema: returned },
    ...rendered,
  ])
  const answers = [...action.results, ...action.errors, ...ofHandlers]
  return [...params.map(({ schema }) => schema), ...answers.flatMap(({ schema }) => schema ?? [])]
}
