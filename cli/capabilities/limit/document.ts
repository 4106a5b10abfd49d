/** What a route answers that is called too often. Defaults of the configuration are not known to the build, and stand in no document. */
import { anyError, handlerOf, retryAfter } from '../../compiler/emit/openapi/plain-errors.ts'
import type { LinkedRoute } from '../../compiler/feature.ts'
import { docOf } from '../../compiler/ir/docs.ts'
import type { OperationPart } from '../../compiler/ir/features.ts'
import { unitOf } from '../../compiler/ir/time-units.ts'
import type { SaidLimit } from './read.ts'

/** 'none' is what a tag says against a default of the configuration. */
export function limitOperation(limit: SaidLimit, route: LinkedRoute): Partial<OperationPart> {
  const fields = { 'x-acmcp-limit': limit || 'none' }
  if (limit === false) return { fields }
  // the body is that of the route's handler, where it has one
  const body = handlerOf('TooManyRequests', runningIn(route)) ?? anyError
  return {
    fields,
    results: [{ ...body, error: 'TooManyRequests', status: 429, doc: docOf(tooOften(limit)) }],
    headers: { 429: retryAfter({ description: 'Seconds until the next call.', required: true }) },
  }
}

const runningIn = ({ handlers }: LinkedRoute): LinkedRoute['handlers'] =>
  handlers.filter(({ coveredBy }) => coveredBy === null)

const tooOften = ({ calls, windowSeconds }: Exclude<SaidLimit, false>): string =>
  `Too many requests: at most ${calls} per ${unitOf(windowSeconds)?.word}.`
