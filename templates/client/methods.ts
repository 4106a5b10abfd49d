/** The methods of a client, by controller and action. */
import { answerOf } from './answer.ts'
import { approvalIn, whenApproved } from './approval.ts'
import type { Answers, CallParameters, ClientOperation, Printed } from './operation.ts'
import type { AnyAnswer, CallOptions, ClientOptions } from './public.ts'
import { ShapeReader } from './reader.ts'
import { requestOf } from './request.ts'
import { sendWithRetries } from './retries.ts'

type ClientMethod = (parameters?: CallParameters, options?: CallOptions) => Promise<AnyAnswer>

/** The methods, by controller and action. */
export function methodsOf({ operations, handled, shapes }: Printed, client: ClientOptions): unknown {
  const reader = new ShapeReader(shapes)
  const methodOf = (text: string): ClientMethod => {
    let known: ClientOperation | undefined
    return async (parameters = {}, options = {}) => {
      known ??= operationOf(text, handled)
      const { verb, approval, answers, idempotencyKey } = known
      const key = idempotencyKey === true ? keyOf(options) : null
      const mayRepeat = key !== null || !/^P(OST|ATCH)$/.test(verb)
      const request = requestOf(known, parameters, { client, options, key })
      const retrying = {
        client,
        retries: mayRepeat ? (options.retries ?? client.retries ?? 0) : 0,
        read: async (response: Response) =>
          (approval === true ? await approvalIn(response) : null) ?? answerOf(response, answers, reader),
      }
      return whenApproved(() => sendWithRetries(request, retrying), options)
    }
  }
  return Object.fromEntries(
    Object.entries(operations).map(([group, own]) => [
      group,
      Object.fromEntries(Object.entries(own).map(([name, text]) => [name, methodOf(text)])),
    ]),
  )
}

/** Random, also where `crypto.randomUUID` is missing: a page over plain HTTP has none. */
function keyOf({ idempotencyKey }: CallOptions): string | null {
  if (idempotencyKey !== undefined) return idempotencyKey
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

function operationOf(text: string, handled: Printed['handled']): ClientOperation {
  const operation = JSON.parse(text) as ClientOperation // it was printed so
  const shared = JSON.parse(handled[operation.handled ?? ''] ?? '{}') as Answers // and so was this
  return { ...operation, answers: { ...shared, ...operation.answers } }
}
