/** Names of a type that `@Exclude()` keeps out of what is taken: who sends them is not told, so the build tells. */

import { excludedTaken } from '../diagnostics/decorator-diagnostics.ts'
import type { Diagnostic } from '../diagnostics/source-diagnostics.ts'
import type { Controller, Model } from '../ir/model.ts'
import type { Schema } from '../ir/schema.ts'
import { childrenOf } from '../ir/schema-walk.ts'
import { hasMark } from '../schema/marks.ts'
import { reachable } from '../schema/references.ts'

/** Each parameter with such a type. */
export function withheldIsNotTaken(
  { actions }: Pick<Controller, 'actions'>,
  named: Model['schemas'],
): readonly Diagnostic[] {
  return actions
    .flatMap(({ params, method }) => params.map((param) => ({ param, method })))
    .filter(({ param }) => hasMark('withholds', param.schema, named))
    .map(({ param, method }) => {
      const all = [param.schema, ...reachable([param.schema], named).map(({ schema }) => schema)]
      const names = [...new Set(all.flatMap(withheldIn))]
      return excludedTaken(param.at, `'${param.wireName}' of ${method}()`, names.join(', '))
    })
}

const withheldIn = (schema: Schema): readonly string[] => [
  ...(schema.kind === 'object' ? schema.withheld : []),
  ...childrenOf(schema).flatMap(withheldIn),
]
