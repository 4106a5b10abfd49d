/** What a route answers that is called too often (`@limit`) or takes too long (`@timeout`). Defaults of the configuration are not
 *  known to the build, and stand in no document. */
import { docOf } from '../../ir/docs.ts'
import type { Action, DeclaredOptions } from '../../ir/model.ts'
import { unitOf } from '../../ir/options.ts'
import { textSchema } from '../../ir/plain-schemas.ts'
import type { Handler, Result } from '../../ir/steps.ts'
import type { Json } from './json.ts'
import { errorObject, handlerOf, retryAfter } from './plain-errors.ts'

type Limited = Pick<Action, 'options'>

/** The body of the first is that of the route's handler of `TooManyRequests`, where it has one. */
export function limitResults(
  { options: { limit, timeoutSeconds } }: Limited,
  handlers: readonly Handler[],
): readonly Result[] {
  return [
    ...(isSet(limit)
      ? [
          {
            ...(handlerOf('TooManyRequests', handlers) ?? anyError),
            status: 429,
            doc: docOf(tooOften(limit)),
          },
        ]
      : []),
    ...(isSet(timeoutSeconds) ? [{ ...anyError, status: 503, doc: docOf(tooLate(timeoutSeconds)) }] : []),
  ]
}

const tooLate = (seconds: number): string => `The answer did not begin within ${seconds} seconds.`

/** The header fields of a response. */
export function limitHeaders({ options: { limit } }: Limited, status: string): Json {
  if (!isSet(limit) || status !== '429') return {}
  return retryAfter({ description: 'Seconds until the next call.', required: true })
}

/** The fields of an operation: 'none' is what a tag says against a default of the configuration. */
export const limitFields = ({ options: { limit, timeoutSeconds } }: Limited): Json => ({
  ...(limit === null ? {} : { 'x-acmcp-limit': limit || 'none' }),
  ...(timeoutSeconds === null ? {} : { 'x-acmcp-timeout': timeoutSeconds || 'none' }),
})

const isSet = <T>(value: T | false | null): value is T => value !== null && value !== false

const anyError: Pick<Result, 'contentType' | 'schema'> = {
  contentType: 'application/json',
  schema: errorObject(textSchema(null)),
}

const tooOften = ({ calls, windowSeconds }: Exclude<DeclaredOptions['limit'], false | null>): string =>
  `Too many requests: at most ${calls} per ${unitOf(windowSeconds)?.word}.`
