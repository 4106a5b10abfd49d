/** Values that the application writes for its readers, judged by the decoders of their types: examples and defaults of properties,
 *  examples of tool calls, defaults of parameters. */
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'
import { memoize } from '../cache/memoize.ts'
import {
  badArgumentHeader,
  badDefault,
  badExample,
  badWrittenValue,
} from '../diagnostics/model-diagnostics.ts'
import { secretWritten } from '../diagnostics/secret-diagnostics.ts'
import { didYouMean } from '../diagnostics/similar-names.ts'
import type { Diagnostic } from '../diagnostics/source-diagnostics.ts'
import { addedBy } from '../ir/features.ts'
import type { Action, Tool } from '../ir/model.ts'
import { objectSchema, property } from '../ir/plain-schemas.ts'
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { type Constrained, childrenOf, type PartialVisitor, partsOf, visitSome } from '../ir/schema-walk.ts'
import type { Filter, Handler, Param } from '../ir/steps.ts'
import { withAnswered, withoutSecrets } from '../schema/answered.ts'
import { moreArgument } from '../schema/brief.ts'
import { secretIn } from '../schema/marks.ts'
import { memo } from '../schema/memo.ts'
import type { ToolView } from '../schema/tools.ts'
import type { Subject } from './controller-rules.ts'
import { refusalOf } from './judge.ts'

/** Every example and every literal default of a controller that its own schema refuses. */
export const valuesFit = ({ controller, tools, app: { schemas } }: Subject): readonly Diagnostic[] => [
  ...tools.flatMap((view) => checkTool(view, schemas)),
  ...controller.actions.flatMap((action) => checkAction(action, schemas)),
]

/** Those of a named schema. */
export const namedValuesFit = (schema: NamedSchema, named: Named): readonly Diagnostic[] =>
  hasWritten(schema) ? checkNamed(schema, named) : []

/** Whether a value is written in it: in nearly none. */
const hasWritten = memoize(({ schema }: NamedSchema) => partsOf(schema).constrained.some(hasValues))

const checkNamed = memo(({ schema }: NamedSchema, named) => checkSchema(schema, named))

const hasValues = ({ keywords }: Constrained): boolean => 'default' in keywords || 'examples' in keywords

const checkSchema = (schema: Schema, named: Named): readonly Diagnostic[] => [
  ...partsOf(schema).constrained.flatMap((item) => checkKeywords(item, named)),
  ...(partsOf(schema).isSecret ? secretsWritten(schema) : []),
]

/** The values that are written at a secret property itself. */
const secretsWritten = (schema: Schema): readonly Diagnostic[] => [
  ...(schema.kind === 'object' ? schema.properties : []).flatMap((property) =>
    property.isSecret ? valuesAt(property.name, property.schema) : [],
  ),
  ...childrenOf(schema).flatMap(secretsWritten),
]

const valuesAt = (name: string, schema: Schema): readonly Diagnostic[] =>
  partsOf(schema)
    .constrained.filter(hasValues)
    .map(({ at, keywords }) => secretWritten(at, 'examples' in keywords ? 'example' : 'default', name))

type Named = readonly NamedSchema[]

function checkAction(action: Action, named: Named): readonly Diagnostic[] {
  const all = [action, ...action.filters, ...action.handlers]
  return [
    ...all.flatMap(({ params }) => params).flatMap((param) => checkParam(param, named)),
    ...all.flatMap(schemasOf).flatMap((schema) => checkSchema(schema, named)),
  ]
}

const schemasOf = (item: Action | Filter | Handler): readonly Schema[] => [
  ...item.params.map(({ schema }) => schema),
  ...('results' in item ? item.results.flatMap(({ schema }) => schema ?? []) : []),
  ...('returned' in item ? item.rendered.flatMap(({ schema }) => schema ?? []) : []),
]

/** `@default` and `@example` must fit the type and the other tags beside them. */
function checkKeywords({ inner, keywords, at }: Constrained, named: Named): readonly Diagnostic[] {
  const { default: fallback, examples = [], ...rules } = keywords
  const values = [...(fallback === undefined ? [] : [['default', fallback] as const])]
  const all = [...values, ...[examples].flat().map((value) => ['example', value] as const)]
  if (all.length === 0) return []
  const written = withoutSecrets(inner, named) // of which no value is written
  const schema: Schema = { kind: 'constrained', inner: written, keywords: rules, at }
  return all.flatMap(([tag, value]) => {
    const secret = secretIn(inner, value, named)
    if (secret !== null) return [secretWritten(at, tag, secret)]
    const problem = refusalOf(schema, value, { name: '', named: withAnswered(named) })
    return problem === null ? [] : [badWrittenValue(at, tag, JSON.stringify(value), problem)]
  })
}

/** What is written for callers of the tool. */
function checkTool(view: ToolView, named: Named): readonly Diagnostic[] {
  const { tool } = view
  if (tool.examples.length + tool.argumentHeaders.length === 0) return []
  const input = argumentsOf(view)
  const examples = tool.examples.flatMap(({ value, at }) => {
    const secret = secretArgument(tool, value, named)
    if (secret !== null) return [secretWritten(at, 'mcp example', secret)]
    const problem = refusalOf(input, value, { name: '', named })
    return problem === null ? [] : [badExample(at, tool.name, problem)]
  })
  return [...examples, ...checkArgumentHeaders(view)]
}

/** As one object; with the argument `fields` of a tool that has `@mcp brief`. */
function argumentsOf({ tool, brief }: ToolView): Schema {
  const own = tool.arguments.map(({ argument, param: { schema, required } }) =>
    property(argument, schema, required),
  )
  const items: Schema = { kind: 'enum', values: brief?.more ?? [], ofEnum: false }
  const more = property(moreArgument, { kind: 'array', items, unique: false }, false)
  return objectSchema(...own, ...(brief === null ? [] : [more]))
}

function secretArgument({ arguments: all }: Tool, value: unknown, named: Named): string | null {
  const values = new Map(Object.entries(Object(value)))
  const present = all.filter(({ argument }) => values.has(argument))
  const [found] = present.flatMap(({ argument, param: { isSecret, schema } }) =>
    isSecret ? [argument] : (secretIn(schema, values.get(argument), named) ?? []),
  )
  return found ?? null
}

/** Only a text, a whole number or a boolean of the tool's own arguments can stand in a header. */
function checkArgumentHeaders({ action, tool, input }: ToolView): readonly Diagnostic[] {
  const properties = new Map(Object.entries(input.schema.properties ?? {}))
  for (const { argument } of addedBy(action, (use) => use.tool.arguments)) properties.delete(argument) // they have their places
  return tool.argumentHeaders.flatMap(({ argument }) => {
    const { type } = (properties.get(argument) ?? {}) as JsonSchema // every property is a schema
    const isPlain = ['string', 'integer', 'boolean'].includes(String(type))
    return isPlain ? [] : [badArgumentHeader(action.at, argument, didYouMean(argument, properties.keys()))]
  })
}

const checkParam = (param: Param, named: Named): readonly Diagnostic[] => [
  ...checkDefault(param, named),
  ...(param.isSecret ? valuesAt(param.name, param.schema) : []),
]

function checkDefault({ schema, fallback, name, at }: Param, named: Named): readonly Diagnostic[] {
  if (fallback === null || isPlainlyOf(schema, fallback)) return []
  const problem = refusalOf(schema, fallback, { name, named })
  return problem === null ? [] : [badDefault(at, name, problem)]
}

/** Whether it is plain that `value` fits: most defaults are numbers and texts, for which no checker need be loaded. */
const isPlainlyOf = (schema: Schema, value: unknown): boolean => visitSome(schema, plainly, value) ?? false

const plainly: PartialVisitor<boolean, unknown> = {
  integer: ({ format }, value) =>
    Number.isInteger(value) && (format === null || value === Number(value) >> 0),
  number: (_schema, value) => Number.isFinite(value),
  boolean: (_schema, value) => typeof value === 'boolean',
  string: ({ format, pattern }, value) => typeof value === 'string' && format === null && pattern === null,
  enum: ({ values }, value) => values.some((item) => item === value),
}
