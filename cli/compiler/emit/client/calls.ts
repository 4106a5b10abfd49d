/** One route as a method of the client: its type, and what is sent and read. */
import type { Action, Model } from '../../ir/model.ts'
import type { Schema } from '../../ir/schema.ts'
import { alternativesOf, isFile } from '../../ir/schema-walk.ts'
import { schemaNamed } from '../../schema/references.ts'
import { propertyName, quote } from '../javascript.ts'
import { type NamedAction, openPath } from '../routes/method-names.ts'
import { answerRows, answerTypes, handledBy, otherType, ownFailuresOf, successesOf } from './answers.ts'
import { type ClientArgument, clientArguments } from './arguments.ts'
import { docText } from './doc-text.ts'
import { type AllHandled, handledOf, type NamedHandled } from './handled.ts'
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
  const given = clientArguments(action)
  const isOptional = given.every((one) => one.isOptional)
  const parameters = `parameters${isOptional ? '?' : ''}: ${parametersText(given, names)}`
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

function parametersText(given: readonly ClientArgument[], names: TypeNames): string {
  if (given.length === 0) return 'Record<never, never>'
  const fields = given.map(({ name, param, isOptional }) => {
    const text = argumentText(param.schema, names)
    return `${docText(param.doc, '')}${propertyName(name)}${isOptional ? '?' : ''}: ${text}${isOptional ? ' | undefined' : ''}\n`
  })
  return `{\n${indent(fields.join(''))}}`
}

/** Lists may be readonly where they are only read. */
function argumentText(schema: Schema, names: TypeNames): string {
  if (schema.kind === 'constrained') return argumentText(schema.inner, names)
  if (schema.kind !== 'array') return typeText(schema, names)
  const items = typeText(schema.items, names)
  return schema.unique ? `ReadonlySet<${items}>` : `ReadonlyArray<${items}>`
}

/** The operation as data. */
export function operationText(model: Model, { name, action }: NamedAction, printing: Printing): string {
  const { schemas } = model
  const given = clientArguments(action)
  const body = given.find(({ param }) => param.from === 'body')
  const places = given.filter((one) => one !== body)
  const fields = [
    `verb: ${quote(action.verb)}`,
    `path: ${quote(openPath(action))}`,
    ...(places.length === 0
      ? []
      : [`parameters: { ${places.map((one) => placeText(one, schemas)).join(', ')} }`]),
    ...(body === undefined ? [] : [`body: ${quote(body.name)}`]),
    ...(given.some(({ param }) => holdsFile(param.schema, schemas)) ? ['form: true'] : []),
    ...(action.produces === null ? [] : [`accept: ${quote(action.produces)}`]),
    `answers: { ${rowsText(model, action, printing)} }`,
  ]
  return `${propertyName(name)}: { ${fields.join(', ')} },\n`
}

/** What comes with a status of its own, and of the handlers', is read together. */
function rowsText(model: Model, action: Action, printing: Printing): string {
  const shared = handled(model, action, printing)
  const own = [...successesOf(action), ...ownFailuresOf(model, action)]
  const statuses = new Set(own.map(({ status }) => status))
  const also = handledBy(action).filter(({ status }) => statuses.has(status))
  return [
    ...(shared === null ? [] : [`...${shared.constant}`]),
    ...answerRows([...own, ...also], model.schemas),
  ].join(', ')
}

function placeText({ name, param }: ClientArgument, named: Model['schemas']): string {
  const { from, wireName, schema } = param
  const list = from === 'query' && isList(schema, named) ? `, 'list'` : ''
  return `${propertyName(name)}: [${quote(from === 'rest' ? 'path' : from)}, ${quote(wireName)}${list}]`
}

function isList(schema: Schema, named: Model['schemas']): boolean {
  const all = alternativesOf(schema, (name) => schemaNamed(name, named)).filter(({ kind }) => kind !== 'null')
  return all.length > 0 && all.every(({ kind }) => kind === 'array')
}

/** Whether it is a file, or a body that has files. */
function holdsFile(schema: Schema, named: Model['schemas']): boolean {
  return alternativesOf(schema, (name) => schemaNamed(name, named)).some(
    (one) =>
      isFile(one) || (one.kind === 'object' && one.properties.some((property) => isFile(property.schema))),
  )
}
