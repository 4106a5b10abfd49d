/** Refuses what is no address of a server. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { HttpResponse } from '../../contract/http.ts'
import { jsonResponse } from '../pipeline/error-handler.ts'
import { refusingRoute } from './request-target.ts'
import { sendResponse } from './send.ts'

/** The route that refuses; behind the hooks of plugins, which document it nowhere (`hide`, of @fastify/swagger). */
export function mountRefusal(app: FastifyInstance, isHooked: boolean): void {
  app.route({
    method: [...app.supportedMethods],
    url: refusingRoute,
    ...(isHooked ? { schema: { hide: true } as FastifySchema } : {}), // a word of the plugin's
    handler: ({ raw }: FastifyRequest, reply: FastifyReply) =>
      sendResponse(reply, isWholeServer(raw) ? nothing : badTarget),
  })
}

export const badTarget: HttpResponse = jsonResponse(400, { error: 'the address is malformed' })

/** To the server as a whole there is nothing to say. Source: RFC 9110, 9.3.7. */
const nothing: HttpResponse = { status: 204, headers: {}, body: null }

const isWholeServer = ({ method, url }: IncomingMessage): boolean => method === 'OPTIONS' && url === '*'
