/** Values that the application writes for its readers, judged by the schemas that the documents give: examples of
 *  tool calls and defaults of parameters. */
import Schema from 'typebox/schema'
import type { Catalogue, JsonSchema } from '../../runtime/contract.ts'
import type { Diagnostic } from './diagnostics.ts'
import { definitions, jsonSchema, toDefs } from './emit/json-schema.ts'
import { reachable } from './emit/type-text.ts'
import type { Action, Model, NamedSchema, Param } from './model.ts'
import { badDefault, badExample } from './rule-diagnostics.ts'

/** Every example and every literal default that its own schema refuses. */
export function checkValues(model: Model, catalogue: Catalogue): readonly Diagnostic[] {
  const inputs = new Map(catalogue.tools.map(({ name, inputSchema }) => [name, inputSchema]))
  const actions = model.controllers.flatMap((controller) => controller.actions)
  return actions.flatMap((action) => [
    ...checkExamples(action, inputs),
    ...[action, ...action.filters, ...action.handlers]
      .flatMap(({ params }) => params)
      .flatMap((param) => checkDefault(param, model.schemas)),
  ])
}

function checkExamples({ tool }: Action, inputs: ReadonlyMap<string, JsonSchema>): readonly Diagnostic[] {
  const input = tool === null ? undefined : inputs.get(tool.name)
  if (tool === null || input === undefined) return []
  return tool.examples.flatMap(({ value, at }) => {
    const problem = problemOf(input, value)
    return problem === null ? [] : [badExample(at, tool.name, problem)]
  })
}

function checkDefault(
  { schema, fallback, name, at }: Param,
  named: readonly NamedSchema[],
): readonly Diagnostic[] {
  if (fallback === null) return []
  const problem = problemOf(
    { ...jsonSchema(schema, toDefs), ...definitions(reachable([schema], named)) },
    fallback,
  )
  return problem === null ? [] : [badDefault(at, name, problem)]
}

/** Where and why `schema` refuses `value`, in one line; null = it does not. */
function problemOf(schema: JsonSchema, value: unknown): string | null {
  const [fits, [first]] = Schema.Errors(schema, value)
  if (fits) return null
  if (first === undefined) return 'it does not match the schema'
  const path = first.instancePath === '' ? 'the value' : first.instancePath
  const why = first.message === 'schema is false' ? 'is not known' : first.message
  return `${path} ${why}`
}
