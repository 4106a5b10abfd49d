/** Prints what is declared of the answers of a route, by status: the runtime writes them by it. */
import type { Action } from '../../ir/model.ts'
import type { NamedSchema, Schema } from '../../ir/schema.ts'
import { streamedType } from '../../ir/schema-walk.ts'
import type { Handler, Result } from '../../ir/steps.ts'
import { decoderText } from '../../schema/decoders.ts'

/** A type and the status with which it is sent. */
type Sent = Pick<Result, 'status' | 'schema'>

interface Answering {
  readonly results: readonly Sent[]
  readonly rendered: readonly Sent[]
}

/** The types of JSON that `action` answers, those of its exception handlers and of events too. */
export const answerSchemas = ({ handlers, ...action }: Action): readonly Schema[] =>
  [action, ...handlers.filter(isOwn).map(answering)].flatMap(({ results, rendered }) =>
    [...results, ...rendered].flatMap(({ schema }) => writtenTypes(schema)),
  )

/** The arguments of `c.route` that say it; what is empty is left out by the caller. */
export function answersText(
  action: Action,
  named: readonly NamedSchema[],
): readonly [own: string, handlers: string] {
  const handlers = action.handlers.map((handler) =>
    isOwn(handler) ? answersOf(answering(handler), named) : none,
  )
  return [answersOf(action, named), handlers.every((text) => text === none) ? '[]' : `[${handlers.join()}]`]
}

/** Those that come with `acmcp` answer what they declare. */
const isOwn = ({ owner }: Handler): boolean => !owner.isShipped

/** What a handler returns is sent with its status, whatever is documented. */
const answering = ({ status, returned, rendered }: Handler): Answering => ({
  results: [{ status: status ?? 200, schema: returned }],
  rendered,
})

/** Where nothing is declared. */
export const none = 'undefined'

function answersOf({ results, rendered }: Answering, named: readonly NamedSchema[]): string {
  const [returned, own] = [byStatus(results, named), byStatus(rendered, named)]
  if (own !== '{}') return `c.answers(${returned},${own})`
  return returned === '{}' ? none : `c.answers(${returned})`
}

function byStatus(results: readonly Sent[], named: readonly NamedSchema[]): string {
  const statuses = new Set(results.map(({ status }) => status))
  const entries = [...statuses].flatMap((status) => {
    const types = results
      .filter((result) => result.status === status)
      .flatMap(({ schema }) => writtenTypes(schema))
    const texts = [...new Set(types.map((schema) => decoderText(schema, named)))]
    if (status === 'default' || texts.length === 0) return []
    return [`${status}:${texts.length === 1 ? texts.join() : `c.union([${texts.join()}])`}`]
  })
  return `{${entries.join()}}`
}

/** The types of what is written as JSON; of events each item is. Bytes, and what says nothing of itself, are sent as they are. */
function writtenTypes(schema: Schema | null): readonly Schema[] {
  if (schema === null || schema.kind === 'binary' || schema.kind === 'unknown') return []
  if (schema.kind === 'events') return writtenTypes(schema.items)
  const hasStreams = schema.kind === 'union' && schema.members.some((member) => streamedType(member) !== null)
  return hasStreams ? schema.members.flatMap(writtenTypes) : [schema]
}
