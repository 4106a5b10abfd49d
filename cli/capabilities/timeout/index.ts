/** `@timeout`: until when the answer of a route begins. */
import type { Subject } from '../../compiler/check/controller-rules.ts'
import { badTag, type Diagnostic } from '../../compiler/diagnostics/source-diagnostics.ts'
import { anyError } from '../../compiler/emit/openapi/plain-errors.ts'
import { type Feature, nearestOf } from '../../compiler/feature.ts'
import { docOf } from '../../compiler/ir/docs.ts'
import type { OperationPart } from '../../compiler/ir/features.ts'
import { hasEvents } from '../../compiler/ir/schema-walk.ts'
import type { DeclaredMethod } from '../../compiler/ir/source-model.ts'
import { classes, once } from '../../compiler/read/language.ts'
import { readTimeout } from './read.ts'

/** False = no end. */
type Seconds = number | false

export const timeoutFeature: Feature<Seconds, Seconds> = {
  tag: 'timeout',
  word: once('none|time', [...classes, 'route', 'prompt', 'completion'], 'others'),
  alsoCalled: ['deadline'],
  place: 'call',
  read: readTimeout,
  // what goes on as long as its client wants has no time, whatever its class says
  link: (tags, { websocket }, method) => (websocket || answersEvents(method) ? null : nearestOf(tags)),
  check: endlessHaveNone,
  row: (seconds) => ({ timeoutSeconds: seconds }),
  lines: (seconds) => ({ timeout: seconds === false ? 'none' : `${seconds}s` }),
  operation: operationOf,
}

const answersEvents = ({ result, returns }: DeclaredMethod): boolean =>
  hasEvents([result, ...returns.map(({ schema }) => schema)])

function endlessHaveNone({ declared }: Subject): readonly Diagnostic[] {
  const why = 'a stream of events goes on as long as its client wants'
  return declared.methods.filter(answersEvents).flatMap(({ tags }) => {
    const own = tags.filter(({ tag }) => tag === '@timeout')
    return own.map(({ at }) => badTag(at, 'timeout', why, 'Remove it: end the stream in the method itself.'))
  })
}

/** 'none' is what a tag says against a default of the configuration. */
function operationOf(seconds: Seconds): Partial<OperationPart> {
  const fields = { 'x-acmcp-timeout': seconds || 'none' }
  if (seconds === false) return { fields }
  const doc = docOf(`The answer did not begin within ${seconds} seconds.`)
  return { fields, results: [{ ...anyError, error: 'RouteTimeout', status: 503, doc }] }
}
