/** Which requests leave HTTP: those that open a WebSocket. Any other offer is ignored, as a server may that speaks no other
 *  protocol; clients of Java make one (`h2c`) with each first request. Source: RFC 9110, 7.8; RFC 6455, 4.2.1. */
import { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { jsonResponse } from '../pipeline/error-handler.ts'
import { sendResponse } from '../server/send.ts'

/** Messages that offer to change protocols; not a field, for the constructor of `IncomingMessage` writes `upgrade` already. */
const offers = new WeakSet<IncomingMessage>()

/** Node asks `upgrade` when it has read the headers, and hands the socket over where it holds. */
export class WebsocketMessage extends IncomingMessage {
  get upgrade(): boolean {
    if (!offers.has(this) || this.method === 'CONNECT') return offers.has(this)
    return this.method === 'GET' && this.headers.upgrade?.toLowerCase() === 'websocket'
  }

  set upgrade(isOffered: boolean | null) {
    if (isOffered === true) offers.add(this)
  }
}

const noWebsocket = jsonResponse(400, { error: 'no WebSocket is served here' })

/** Refuses a WebSocket at `paths`, which the library would open and close again for any origin. */
export function refuseUpgradesAt(app: FastifyInstance, paths: readonly string[]): void {
  const plain = new Set(paths)
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.ws || !plain.has(request.routeOptions.url ?? '')) done()
    else sendResponse(reply, noWebsocket)
  })
}
