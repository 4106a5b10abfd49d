/** What is sent to a route beside its body, and which of it are arguments of its tool. */
import { type Call, everybody, overHttp } from './call.ts'
import { type Document, dereferenced } from './document.ts'
import type { ContractChange } from './findings.ts'
import type { RuleName } from './rules.ts'
import { type FieldValues, itemsOf, pairsIn, recordOf } from './schemas/json.ts'
import { type FilledArgument, type OfferedTool, placedArguments, placeKey } from './tools.ts'

/** One side of a call. */
export interface SentInputs {
  readonly address: string
  readonly parameters: unknown
  readonly document: Document
  readonly tool: OfferedTool | null
}

interface Inputs {
  /** By the place where they are read. */
  readonly parameters: ReadonlyMap<string, FieldValues>
  /** By name. */
  readonly args: ReadonlyMap<string, Placed>
}

interface Placed extends FilledArgument {
  /** Of the parameter that it goes to. */
  readonly key: string
}

export function inputFindings(call: Call, before: SentInputs, after: SentInputs): readonly ContractChange[] {
  const [from, to] = [inputsOf(before), inputsOf(after)]
  const [filled, fills] = [from, to].map(
    ({ args }) => new Map([...args.values()].map(({ key, name }) => [key, name])),
  )
  return [
    ...pairsIn(from.parameters, to.parameters).flatMap(([key, old, current]) => {
      if (current === undefined) return call.tell('inputGone', { path: pathOf(old) })
      if (old === undefined) return call.tell(newInput(current.required === true), { path: pathOf(current) })
      const argument = fills?.get(key)
      const isFilled = argument !== undefined && filled?.get(key) === argument
      return parameterFindings(call, old, current, isFilled ? everybody : overHttp)
    }),
    ...argumentFindings(call, from, to),
  ]
}

/** Variables of an address are those of the same place, whatever they are called. */
function inputsOf({ address, parameters, document, tool }: SentInputs): Inputs {
  const variables: readonly string[] = address.match(/\{[^}]*\}/g) ?? []
  const keyOf = (place: unknown, name: unknown): string =>
    placeKey(place, place === 'path' ? variables.indexOf(`{${name}}`) : name)
  const args = tool === null ? [] : placedArguments(tool)
  const all = itemsOf(parameters).map((parameter) => dereferenced(parameter, document))
  return {
    parameters: new Map(all.map((fields) => [keyOf(fields.in, fields.name), fields])),
    args: new Map(args.map((arg) => [arg.name, { ...arg, key: keyOf(arg.in, arg.parameter) }])),
  }
}

/** As tools call it, where that is known. */
const pathOf = ({ name }: FieldValues = {}): string =>
  name === 'Idempotency-Key' ? 'idempotencyKey' : String(name)

const newInput = (isRequired: boolean): RuleName => (isRequired ? 'inputRequired' : 'inputNew')
const otherInput = (isRequired: boolean): RuleName => (isRequired ? 'inputRequired' : 'inputWidened')

const schemaOf = ({ schema, content }: FieldValues): unknown =>
  schema ?? recordOf(Object.values(recordOf(content))[0]).schema

function parameterFindings(
  call: Call,
  from: FieldValues,
  to: FieldValues,
  hits: typeof everybody,
): readonly ContractChange[] {
  const path = pathOf(to)
  const [before, after] = [from.required === true, to.required === true]
  return [
    ...(before === after ? [] : call.tell(otherInput(after), { path, before, after })),
    ...call.words(from, to, path),
    ...call.schema(schemaOf(from), schemaOf(to), { direction: 'input', path: [path], hits }),
  ]
}

/** What a model fills in: its name, whether it must, and what it reads of it. */
function argumentFindings(call: Call, from: Inputs, to: Inputs): readonly ContractChange[] {
  return pairsIn(from.args, to.args).flatMap(([, old, current]) => {
    if (old !== undefined && current !== undefined)
      return [...sameArgument(call, old, current, to), ...movedArgument(call, [old, from], [current, to])]
    // a body that comes or goes is told of the route
    if ((old ?? current)?.in === 'body' && !(hasBody(from) && hasBody(to))) return []
    if (old !== undefined) return call.tellTool('inputGone', { path: ownPath(old, from, to) })
    if (current === undefined) return []
    return call.tellTool(newInput(current.isRequired), { path: ownPath(current, to, from) })
  })
}

const hasBody = ({ args }: Inputs): boolean => [...args.values()].some((argument) => argument.in === 'body')

function sameArgument(
  call: Call,
  from: Placed,
  to: Placed,
  { parameters }: Inputs,
): readonly ContractChange[] {
  const parameter = parameters.get(to.key)
  const path = parameter === undefined ? to.name : pathOf(parameter)
  const isOfBody = from.in === 'body' || to.in === 'body'
  const isOther = from.parameter !== to.parameter
  const places = { path, before: [from.in, from.parameter], after: [to.in, to.parameter] }
  const texts = [from.text, to.text]
  return [
    ...(from.isRequired === to.isRequired || isOfBody
      ? []
      : call.tellTool(otherInput(to.isRequired), { path })),
    ...(from.text === to.text || texts.includes(null)
      ? []
      : call.tellTool('argumentText', { path, before: from.text, after: to.text })),
    ...(isOther || from.in !== to.in ? call.tellTool(isOther ? 'unknown' : 'harmless', places) : []),
  ]
}

/** One that goes to a parameter elsewhere takes what that takes. */
function movedArgument(
  call: Call,
  [before, from]: readonly [Placed, Inputs],
  [after, to]: readonly [Placed, Inputs],
): readonly ContractChange[] {
  const [old, current] = [from.parameters.get(before.key), to.parameters.get(after.key)]
  if (before.key === after.key || old === undefined || current === undefined) return []
  const site = { direction: 'input', path: [after.name], hits: ['tools'] } as const
  return call.schema(schemaOf(old), schemaOf(current), site)
}

/** As the route calls it where its parameter comes or goes too: that is one change. */
function ownPath({ name, key, parameter, in: place }: Placed, own: Inputs, other: Inputs): string {
  const read = own.parameters.get(key)
  if (place === 'field') return parameter
  return read === undefined || other.parameters.has(key) ? name : pathOf(read)
}
