/** The methods of a client, by controller and action. */
import { answerOf } from './answer.ts'
import { whenApproved } from './approval.ts'
import type { Answers, CallParameters, ClientOperation, Printed } from './operation.ts'
import type { AnyAnswer, CallOptions, ClientOptions } from './public.ts'
import { ShapeReader } from './reader.ts'
import { send } from './request.ts'

type ClientMethod = (parameters?: CallParameters, options?: CallOptions) => Promise<AnyAnswer>

/** The methods, by controller and action. */
export function methodsOf({ operations, handled, shapes }: Printed, client: ClientOptions): unknown {
  const reader = new ShapeReader(shapes)
  const methodOf = (text: string): ClientMethod => {
    let known: ClientOperation | undefined
    return async (parameters = {}, options = {}) => {
      known ??= operationOf(text, handled)
      const operation = known
      const sent = (): Promise<Response> => send(operation, parameters, { client, options })
      const response = await (operation.approval === true ? whenApproved(sent, options) : sent())
      return answerOf(response, operation.answers, reader)
    }
  }
  return Object.fromEntries(
    Object.entries(operations).map(([group, own]) => [
      group,
      Object.fromEntries(Object.entries(own).map(([name, text]) => [name, methodOf(text)])),
    ]),
  )
}

function operationOf(text: string, handled: Printed['handled']): ClientOperation {
  const operation = JSON.parse(text) as ClientOperation // it was printed so
  const shared = JSON.parse(handled[operation.handled ?? ''] ?? '{}') as Answers // and so was this
  return { ...operation, answers: { ...shared, ...operation.answers } }
}
