/** What a request is called in the log, the audit and the trace. Source: rules.md, request ids. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { RandomBytes } from '../../contract/store.ts'
import { idOfInjected } from '../plugins/inject.ts'
import type { IsTrusted } from '../server/client-address.ts'

const header = 'x-request-id'

/** What may stand in every log, header and query of others. */
const plain = /^[\w.:/+=@~-]{1,128}$/

export type RequestIdOf = (message: IncomingMessage) => string

/** Each is told from those of every other process, and of this one before it was started again: a random prefix a process, and a
 *  number. One that a trusted proxy has given stays; a call behind plugins has that of the request it belongs to. */
export function requestIds(randomBytes: RandomBytes, isTrusted: IsTrusted | null): RequestIdOf {
  const prefix = `${Buffer.from(randomBytes(6)).toString('hex')}-`
  let last = 0
  const next = (): string => {
    last += 1
    return prefix + last.toString(36)
  }
  return (message) => idOfInjected(message) ?? (isTrusted && clientRequestId(message, isTrusted)) ?? next()
}

function clientRequestId({ headers, socket }: IncomingMessage, isTrusted: IsTrusted): string | null {
  const sent = headers[header]
  if (typeof sent !== 'string' || !plain.test(sent)) return null
  return isTrusted(socket.remoteAddress ?? '', 0) ? sent : null
}

/** The client finds the id that it gave in the answer. */
export function echoRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.headers[header] === request.id) reply.raw.setHeader(header, request.id)
    done()
  })
}
