/** The methods of a client, by controller and action. */
import { answerOf } from './answer.ts'
import type { CallParameters, ClientOperation, ClientOperations, JsonShapes } from './operation.ts'
import type { AnyAnswer, CallOptions, ClientOptions } from './public.ts'
import { send } from './request.ts'

type ClientMethod = (parameters?: CallParameters, options?: CallOptions) => Promise<AnyAnswer>

/** The methods, by controller and action. */
export function methodsOf(operations: ClientOperations, shapes: JsonShapes, client: ClientOptions): unknown {
  const methodOf =
    (operation: ClientOperation): ClientMethod =>
    async (parameters = {}, options = {}) =>
      answerOf(await send(operation, parameters, { client, options }), operation.answers, shapes)
  return Object.fromEntries(
    Object.entries(operations).map(([name, own]) => [
      name,
      Object.fromEntries(Object.entries(own).map(([method, operation]) => [method, methodOf(operation)])),
    ]),
  )
}
