/** The rules of what users are asked for. */

import { questionNotFlat, questionRequired, questionUnused } from '../diagnostics/question-diagnostics.ts'
import type { Diagnostic } from '../diagnostics/source-diagnostics.ts'
import type { Model } from '../ir/model.ts'
import type { DeclaredController, DeclaredMethod } from '../ir/source-model.ts'
import type { Param } from '../ir/steps.ts'
import { formOf } from '../schema/questions.ts'

/** Everything that is wrong with `Elicited` parameters, each once: several classes may inherit it. `unusedQuestions` is what
 *  `askingMethods` found in each. */
export function checkQuestions(
  { controllers, schemas }: Model,
  unusedQuestions: readonly Diagnostic[],
): readonly Diagnostic[] {
  const elicited = controllers
    .flatMap(({ actions, mcpOnly }) => [...actions, ...mcpOnly])
    .flatMap(({ params }) => params.filter(({ isElicited }) => isElicited))
  const found = [...unusedQuestions, ...elicited.flatMap((param) => paramFits(param, schemas))]
  return [...new Map(found.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic])).values()]
}

/** Methods that ask where the user cannot answer. */
export const askingMethods = ({ methods }: DeclaredController): readonly Diagnostic[] =>
  methods.flatMap(methodCanAsk)

function methodCanAsk(method: DeclaredMethod): readonly Diagnostic[] {
  const elicited = method.params.filter(({ isElicited }) => isElicited)
  const what = elicited.length === 0 ? null : whyUnused(method)
  return what === null
    ? []
    : elicited.map((param) => questionUnused(param.at, param.name, `${what} ${method.name}`))
}

/** Why the user cannot answer; null = they can. */
function whyUnused({ filter, exceptions, completes, routes }: DeclaredMethod): string | null {
  if (filter !== null) return 'the filter'
  if (exceptions.length > 0) return 'the exception handler'
  if (completes.length > 0) return 'the completion'
  return routes.some(({ websocket }) => websocket) ? 'the WebSocket route' : null
}

function paramFits(
  { at, name, schema, required, fallback, absent }: Param,
  schemas: Model['schemas'],
): readonly Diagnostic[] {
  const form = formOf(schema, schemas)
  return [
    ...('unfit' in form ? [questionNotFlat(at, name, form.unfit)] : []),
    ...(required || fallback !== null || absent === 'null' ? [questionRequired(at, name)] : []),
  ]
}
