/** Which messages may take long, and what their stream ends with where there is no answer. */
import type { Logger } from '../../contract/store.ts'
import { errorName } from '../../errors.ts'
import { errorCodes, isObject } from '../protocol/constants.ts'
import { failureOf } from '../protocol/http-refusal.ts'
import { eventOf } from '../streams/event-stream.ts'
import type { SlowEnds } from '../streams/slow-answers.ts'
import type { MessageBody } from './fetch-adapter.ts'
import type { ResultWriter } from './result-writer.ts'

const routeMethods: ReadonlySet<unknown> = new Set([
  ...['tools/call', 'prompts/get', 'resources/read', 'completion/complete'],
])

/** Whether a message, or one of a batch, may run a route. */
export const runsRoute = (body: MessageBody): boolean =>
  body.kind === 'json' &&
  (Array.isArray(body.value) || (isObject(body.value) && routeMethods.has(body.value.method)))

/** Once a stream has begun its status stands: a client that must sign in learns it by the next request. */
export function slowEnds({ error: written }: Pick<ResultWriter, 'error'>, log: Logger): SlowEnds {
  const ended = (id: string, code: number, message: string): string => eventOf(written(id, code, message))
  return {
    refused: (refusal, id) => {
      const { code, message } = failureOf(refusal) ?? { code: errorCodes.invalidRequest, message: 'Refused' }
      return ended(id, code, message)
    },
    failed: (error, id) => {
      log.error({ error: errorName(error) }, 'a message failed after its stream had begun')
      return ended(id, errorCodes.internalError, 'Internal error')
    },
  }
}
