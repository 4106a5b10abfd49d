/** `@mcp brief`: of each item of an answer its brief properties, and those that the call asks for in `fields`. */
import type { HttpResponse } from '../../contract/http.ts'
import type { ToolBrief, ToolEntry } from '../../contract/mcp.ts'
import { isObject } from '../protocol/constants.ts'

/** The argument that asks for more. */
export const fieldsArgument = 'fields'

export interface AnswerBrief extends Pick<ToolBrief, 'names'> {
  readonly more: ReadonlySet<string>
  /** The names on the way to the list of a page; empty = the answer is no page. */
  readonly items: readonly string[]
}

export function briefOfTool({ brief }: Pick<ToolEntry, 'brief'>): AnswerBrief | null {
  if (brief === undefined) return null
  const { names, more, items } = brief
  return { names, more: new Set(more), items: items === undefined ? [] : [items] }
}

type Arguments = Readonly<Record<string, unknown>>

/** Without what is no argument of the route. */
export function withoutFields(args: Arguments): Arguments {
  const { [fieldsArgument]: _fields, ...others } = args
  return others
}

/** The answer of JSON in brief; as it is where it was not read to its end. Takes time as the answer is long. */
export function inBrief(outcome: HttpResponse, args: Arguments, brief: AnswerBrief): HttpResponse {
  const { body, isCut = false } = outcome
  if (isCut || (typeof body !== 'string' && !(body instanceof Uint8Array))) return outcome
  const kept = new Set([...brief.names, ...requestedNames(args[fieldsArgument], brief)])
  const cut = (item: unknown): unknown => cutItem(item, kept, brief)
  try {
    const value: unknown = JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString())
    return { ...outcome, body: JSON.stringify(cutAt(value, brief.items, cut)) }
  } catch {
    return outcome // no JSON, whatever its type says
  }
}

/** A filter may answer before the argument has been checked. */
const requestedNames = (fields: unknown, { more }: AnswerBrief): readonly string[] =>
  Array.isArray(fields) ? fields.filter((name) => more.has(name)) : []

type Cut = (item: unknown) => unknown

function cutAt(value: unknown, [name, ...below]: readonly string[], cut: Cut): unknown {
  if (name === undefined) return Array.isArray(value) ? value.map(cut) : cut(value)
  if (!isObject(value) || !Object.hasOwn(value, name)) return value
  return { ...value, [name]: cutAt(value[name], below, cut) }
}

/** An object with none of the properties is something else, that a method or a filter renders. */
function cutItem(item: unknown, kept: ReadonlySet<string>, { more }: AnswerBrief): unknown {
  if (!isObject(item)) return item
  const entries = Object.entries(item)
  const shown = entries.filter(([name]) => kept.has(name))
  const isOther = shown.length === 0 && !entries.some(([name]) => more.has(name))
  return isOther ? item : Object.fromEntries(shown)
}
