/** Addresses at which whoever runs the server asks how it is, where nothing else answers. No hook of a plugin runs before them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpResponse, MaybePromise } from '../../contract/http.ts'
import { logQuietly } from '../log/quiet-requests.ts'
import { sendResponse } from '../server/send.ts'

/** By path. They never reject. */
export type Probes = ReadonlyMap<string, () => MaybePromise<HttpResponse>>

/** Answers a GET or HEAD that no route takes; false when it asks for something else. */
export function answerProbe(probes: Probes, request: FastifyRequest, reply: FastifyReply): boolean {
  if (!request.is404) return false
  const { method, url = '' } = request.raw
  const probe = method === 'GET' || method === 'HEAD' ? probes.get(url.split('?', 1)[0] ?? '') : undefined
  if (probe === undefined) return false
  logQuietly(request)
  void send(probe, reply)
  return true
}

async function send(probe: () => MaybePromise<HttpResponse>, reply: FastifyReply): Promise<void> {
  sendResponse(reply, await probe())
}

/** Answers them before the hooks of plugins that are registered later. */
export function answerProbesFirst(app: FastifyInstance, probes: Probes): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!answerProbe(probes, request, reply)) done()
  })
}
