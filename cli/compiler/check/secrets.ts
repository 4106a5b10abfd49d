/** What becomes of secret properties that are written: a client that reads an answer without them and sends it back must not lose them. */

import { excludedTaken } from '../diagnostics/decorator-diagnostics.ts'
import { secretLost } from '../diagnostics/secret-diagnostics.ts'
import type { Diagnostic } from '../diagnostics/source-diagnostics.ts'
import type { Action, Controller, Model } from '../ir/model.ts'
import type { Schema } from '../ir/schema.ts'
import { bare, childrenOf } from '../ir/schema-walk.ts'
import { hasMark, pathsOf } from '../schema/marks.ts'
import { alternativesOf, reachable } from '../schema/references.ts'

type Named = Model['schemas']

/** A type with secrets that is answered, and the whole body of PUT; of PATCH where it must hold one of them. */
export function secretsOutliveWrites(
  { actions }: Pick<Controller, 'actions'>,
  named: Named,
): readonly Diagnostic[] {
  return actions.flatMap((action) => {
    const { params, verb, path, shortOf } = action
    const body = params.find(({ from }) => from === 'body')
    if (body === undefined || shortOf !== null || (verb !== 'PUT' && verb !== 'PATCH')) return []
    const type = bare(body.schema)
    if (type.kind !== 'ref' || !hasMark('isSecret', type, named) || !isAnswered(type.name, actions, named))
      return []
    const secrets = verb === 'PUT' ? pathsOf('isSecret', type, named) : requiredSecrets(type, named)
    return secrets.length === 0 ? [] : [secretLost(body.at, `${verb} ${path}`, type.name, secrets.join(', '))]
  })
}

const isAnswered = (name: string, actions: readonly Action[], named: Named): boolean =>
  actions.some(({ results }) =>
    reachable(
      results.flatMap(({ schema }) => schema ?? []),
      named,
    ).some((type) => type.name === name),
  )

function requiredSecrets(type: Schema, named: Named): readonly string[] {
  const objects = alternativesOf(type, named)
  return objects
    .flatMap((object) => (object.kind === 'object' ? object.properties : []))
    .flatMap(({ name, isSecret, required }) => (isSecret && required ? [name] : []))
}

// Names of a type that `@Exclude()` keeps out of what is taken: their sender is not told, so the build tells.

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
