/** One route as a method of the client: its type, and what is sent and read. */

import { type NamedAction, openPath } from '../../compiler/emit/routes/method-names.ts'
import { fieldsAt } from '../../compiler/ir/features.ts'
import type { Action, Model } from '../../compiler/ir/model.ts'
import type { Schema } from '../../compiler/ir/schema.ts'
import type { Param } from '../../compiler/ir/steps.ts'
import { sentType } from '../../compiler/schema/body-types.ts'
import { propertyName, quote } from '../../compiler/schema/javascript.ts'
import { alternativesOf } from '../../compiler/schema/references.ts'
import { isTextList, textFormOf } from '../../compiler/schema/text-forms.ts'
import { answersData, answerTypes, handledBy, otherType, ownFailuresOf, successesOf } from './answers.ts'
import { docText } from './doc-text.ts'
import { type AllHandled, handledOf, type NamedHandled } from './handled.ts'
import type { PrintedData } from './shapes.ts'
import { indent, type TypeNames, typeText, unionText } from './type-text.ts'

/** What the printing of every call needs. */
export interface Printing {
  readonly names: TypeNames
  readonly failures: AllHandled
}

const handled = (model: Model, action: Action, { names, failures }: Printing): NamedHandled | null =>
  failures.get(handledOf(action, names, model.schemas)?.key ?? '') ?? null

/** The method's line in the type of the client. */
export function methodText(model: Model, { name, action }: NamedAction, printing: Printing): string {
  const { names } = printing
  const clientArgs = clientArguments(action)
  const isOptional = clientArgs.every((arg) => arg.isOptional)
  const parameters = `parameters${isOptional ? '?' : ''}: ${parametersText(clientArgs, printing, model.schemas)}`
  const own = ownFailuresOf(model, action)
  const shared = handled(model, action, printing)
  const failures = [...(shared === null ? [] : [shared.name]), ...answerTypes(own, names)]
  const others = otherType([...handledBy(action), ...own], names)
  const all = [
    ...answerTypes(successesOf(action), names),
    ...(others === null ? failures : [`OrOther<${unionText(failures)}, ${others}>`]),
  ]
  const doc = docText(action.doc, `\`${action.verb} ${openPath(action)}\``)
  return `${doc}${propertyName(name)}(${parameters}, options?: CallOptions): Promise<${unionText(all)}>\n`
}

function parametersText(
  clientArgs: readonly ClientArgument[],
  { names }: Printing,
  named: Model['schemas'],
): string {
  if (clientArgs.length === 0) return 'Record<string, never>'
  const fields = clientArgs.map(({ name, param, isOptional }) => {
    const text = argumentText(sentSchema(param, named), names)
    return `${docText(param.doc, '')}${propertyName(name)}${isOptional ? '?' : ''}: ${text}${isOptional ? ' | undefined' : ''}\n`
  })
  return `{\n${indent(fields.join(''))}}`
}

/** Without what no text comes to be. */
function sentSchema({ from, schema }: ClientArgument['param'], named: Model['schemas']): Schema {
  return from === 'body' || from === 'field' ? schema : textFormOf(schema, named, true).schema
}

/** Lists may be readonly where they are only read. */
function argumentText(schema: Schema, names: TypeNames): string {
  if (schema.kind === 'constrained') return argumentText(schema.inner, names)
  if (schema.kind !== 'array') return typeText(schema, names)
  const items = typeText(schema.items, names)
  return schema.unique ? `ReadonlySet<${items}>` : `ReadonlyArray<${items}>`
}

/** The operation as JSON. */
export function operationText(model: Model, { name, action }: NamedAction, printing: Printing): string {
  const { schemas } = model
  const clientArgs = clientArguments(action)
  const body = clientArgs.find(({ param }) => param.from === 'body')
  const places = clientArgs.filter((arg) => arg !== body)
  const type = sentType(action, model)
  const data: { readonly [name: string]: PrintedData } = {
    verb: action.verb,
    path: openPath(action),
    ...(places.length === 0 ? {} : { parameters: places.map((place) => placeOf(place, schemas)) }),
    ...(body === undefined ? {} : { body: body.name }),
    ...(type === 'application/json' ? {} : { form: listsOf(body, schemas) }),
    ...(type === 'application/x-www-form-urlencoded' ? { isUrlencoded: true } : {}),
    ...(action.produces === null ? {} : { accept: action.produces }),
    ...(fieldsAt(action, ['access', 'retry', 'call', 'answer'], ({ call }) => call) as {
      [name: string]: PrintedData
    }), // features add plain data
    ...answersOf(model, action, printing),
  }
  return `${propertyName(name)}: ${quote(JSON.stringify(data))},\n`
}

/** What comes with a status of its own, and of the handlers', is read together. */
function answersOf(
  model: Model,
  action: Action,
  printing: Printing,
): { readonly [name: string]: PrintedData } {
  const shared = handled(model, action, printing)
  const own = [...successesOf(action), ...ownFailuresOf(model, action)]
  const statuses = new Set(own.map(({ status }) => status))
  const also = handledBy(action).filter(({ status }) => statuses.has(status))
  const answers = answersData([...own, ...also], model.schemas)
  return { answers, ...(shared === null ? {} : { handled: shared.name }) }
}

function placeOf({ name, param }: ClientArgument, named: Model['schemas']): PrintedData {
  const { from, wireName } = param
  const place = from === 'rest' ? 'path' : from
  return [name, place, wireName, ...formOf(param, named)]
}

function formOf({ from, schema }: Param, named: Model['schemas']): readonly ('list' | 'either')[] {
  if (from === 'header') return isListOrValue(schema, named) ? ['either'] : []
  return (from === 'query' || from === 'field') && isRepeatedList(schema, named) ? ['list'] : []
}

function isListOrValue(schema: Schema, named: Model['schemas']): boolean {
  const kinds = alternativesOf(schema, named).filter(({ kind }) => kind !== 'null')
  const others = kinds.filter(({ kind }) => kind !== 'array')
  return others.length > 0 && others.length < kinds.length && others.every(isOneText)
}

/** Whether no value of it is JSON in a text, as the server has it too. */
const isOneText = (schema: Schema): boolean =>
  !['object', 'record', 'tuple', 'unknown'].includes(schema.kind) &&
  !(schema.kind === 'converted' && schema.to === 'Map')

/** Lists of several types are JSON, as the documents have them: `1` of `string[] | Int32[]` may be of either. */
const isRepeatedList = (schema: Schema, named: Model['schemas']): boolean =>
  isTextList(schema, named) && textFormOf(schema, named, true).how !== 'json'

/** The names of a body's properties that are lists of plain texts. */
function listsOf(body: ClientArgument | undefined, named: Model['schemas']): readonly string[] {
  const kinds = body === undefined ? [] : alternativesOf(body.param.schema, named)
  const properties = kinds.flatMap((kind) => (kind.kind === 'object' ? kind.properties : []))
  const lists = properties.filter(({ schema }) => isRepeatedList(schema, named)).map(({ name }) => name)
  return [...new Set(lists)]
}

// What a caller of the client gives to a method: every input of the route, each under a name of its own.

interface ClientArgument {
  readonly name: string
  readonly param: Param
  readonly isOptional: boolean
}

/** What the client, or `fetch` itself, sends without being asked. Source: Fetch, forbidden request-headers. */
const sent = new Set(
  'accept accept-charset accept-encoding authorization connection content-length content-type cookie date expect host'
    .concat(' keep-alive origin referer te trailer transfer-encoding upgrade via')
    .split(' '),
)

/** In the order of the inputs; two of one name say where they are read. */
function clientArguments({ inputs, optional }: Action): readonly ClientArgument[] {
  const taken = new Set(Object.getOwnPropertyNames(Object.prototype)) // of no object can they be left out
  return inputs.filter(isArgument).map((param) => {
    const plain = plainName(param)
    const names = [plain, `${plain}In${param.from.charAt(0).toUpperCase()}${param.from.slice(1)}`]
    for (let count = 2; names.every((name) => taken.has(name)); count++) names.push(`${plain}${count}`)
    const name = names.find((text) => !taken.has(text)) ?? plain
    taken.add(name)
    return { name, param, isOptional: isOptional(param, optional) }
  })
}

const isOptional = ({ required, from, wireName }: Param, optional: Action['optional']): boolean =>
  !required || (from === 'path' && optional.includes(wireName))

const isArgument = ({ from, wireName }: Param): boolean =>
  from !== 'absent' && !(from === 'header' && sent.has(wireName.toLowerCase()))

/** Headers and cookies have the names of the source. */
const plainName = ({ from, name, wireName }: Param): string =>
  from === 'header' || from === 'cookie' ? name : wireName
