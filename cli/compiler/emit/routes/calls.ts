/** Prints the typed calls of the controllers in the generated table: actions, filters and handlers. */
import type { Action, Filter, Handler, Param } from '../../ir/model.ts'
import type { SymbolRef } from '../../ir/schema.ts'
import { isFile } from '../../schema/references.ts'
import { propertyName, quote, type TypeNames, typeText } from './type-text.ts'

/** Local names in the generated file. */
export type Printer = TypeNames

/** A literal text or `null`. */
export const orNull = (text: string | null): string => (text === null ? 'null' : quote(text))

/** The call of an action. A WebSocket route gets the socket as its first argument. */
export function printAction(printer: Printer, controller: string, action: Action): string {
  const { method: member, params } = action
  return printCall(printer, { controller, member, params, lead: [], takesSocket: action.websocket }, '    ')
}

/** One filter of a route. */
export function printFilter(printer: Printer, controller: string, { when, member, params }: Filter): string {
  const lead: Call['lead'] = when === 'around' ? [{ name: 'next', type: '() => Promise<void>' }] : []
  const call = printCall(printer, { controller, member, params, lead, takesSocket: false }, '    ')
  return `  {\n    when: ${quote(when)},\n    name: ${quote(member)},\n${call}  },\n`
}

/** One exception handler of a route. */
export function printHandler(printer: Printer, controller: string, handler: Handler): string {
  const { member, params, match } = handler
  const lead: Call['lead'] = [{ name: 'error', type: errorType(printer, handler) }]
  return [
    '  {\n',
    `    error: ${printer.symbolName(handler.error)},\n`,
    `    match: ${match === null ? 'null' : `{ property: ${quote(match.property)}, value: ${literalText(match.value)} }`},\n`,
    `    status: ${handler.status ?? 'null'},\n`,
    `    contentType: ${orNull(handler.contentType)},\n`,
    `    depth: ${handler.depth},\n`,
    printCall(printer, { controller, member, params, lead, takesSocket: false }, '    '),
    '  },\n',
  ].join('')
}

function errorType(printer: Printer, { error, isGeneric, match }: Handler): string {
  const name = printer.symbolName(error)
  if (match !== null) return `${name}<${literalText(match.value)}>`
  return isGeneric ? `InstanceType<typeof ${name}>` : name
}

const literalText = (value: string | number | boolean): string =>
  typeof value === 'string' ? quote(value) : String(value)

interface Call {
  readonly controller: string
  readonly member: string
  readonly params: readonly Param[]
  /** What the runtime passes beside the decoded arguments: the error, `next`. */
  readonly lead: readonly { readonly name: 'error' | 'next'; readonly type: string }[]
  readonly takesSocket: boolean
}

/** A method that calls the controller; parameters at the end that it does not use are left out. */
function printCall(printer: Printer, call: Call, indent: string): string {
  const { controller, member, params, lead, takesSocket } = call
  const socket = takesSocket ? [`socket: Parameters<${controller}[${quote(member)}]>[0]`] : []
  const decoded = params.filter(({ from }) => from !== 'absent')
  const placeOf = (param: Param): string =>
    `Parameters<${controller}[${quote(member)}]>[${lead.length + socket.length + params.indexOf(param)}]`
  const types = decoded.map((param) => {
    const type = param.ofMethod ? placeOf(param) : typeText(param.schema, printer)
    return `${argumentLabel(param.name)}: ${type}${param.required ? '' : ' | undefined'}`
  })
  const all = [...socket, ...types]
  const args = { name: all.length === 0 ? '_args' : 'args', type: `readonly [${all.join(', ')}]` }
  const [first] = lead
  const inOrder = first?.name === 'next' ? [args, first] : [...lead, args]
  const used = inOrder.filter(({ name }, index) => name !== '_args' || index < inOrder.length - 1)
  const list = [{ name: 'controller', type: controller }, ...used].map(({ name, type }) => `${name}: ${type}`)
  const given = params.map((param) => {
    const value = argumentValue(param, decoded.indexOf(param) + socket.length)
    return param.hidesNull ? `${value.includes(' ') ? `(${value})` : value} as ${placeOf(param)}` : value
  })
  const values = [...lead.map(({ name }) => name), ...(takesSocket ? ['args[0]'] : []), ...given]
  const body = `return controller.${propertyName(member)}(${values.join(', ')})`
  return `${indent}call(${list.join(', ')}) {\n${indent}  ${body}\n${indent}},\n`
}

const argumentLabel = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : 'argument')

function argumentValue({ from, required, absent }: Param, index: number): string {
  if (from === 'absent') return absent
  return !required && absent === 'null' ? `args[${index}] ?? null` : `args[${index}]`
}

/** The classes and enums that a route's code names. */
export function symbolsOf(action: Action): readonly SymbolRef[] {
  return [
    ...action.handlers.map(({ error }) => error),
    ...action.statuses.map(({ type }) => type),
    ...([action, ...action.filters, ...action.handlers].some(takesFile)
      ? [{ module: 'acmcp', name: 'UploadedFile' }]
      : []),
  ]
}

const takesFile = ({ params }: Pick<Action, 'params'>): boolean => params.some(({ schema }) => isFile(schema))
