/** Addresses at which whoever runs the server asks how it is, where nothing else answers. No hook of a plugin runs before them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpResponse, MaybePromise } from '../../contract/http.ts'
import { logQuietly } from '../log/quiet-requests.ts'
import { sendResponse } from '../server/send.ts'

/** By path. They never reject. */
export type Probes = ReadonlyMap<string, Probe>

type Probe = () => MaybePromise<HttpResponse>

/** Answers a GET or HEAD that no route takes; false when it asks for something else. */
export function answerProbe(probes: Probes, request: FastifyRequest, reply: FastifyReply): boolean {
  const probe = probeFor(probes, request)
  if (probe === undefined) return false
  logQuietly(request)
  void send(probe, reply)
  return true
}

/** Whether one of them answers it. */
export const isProbeFor = (probes: Probes, request: FastifyRequest): boolean =>
  probeFor(probes, request) !== undefined

/** Undefined for what asks for something else. */
function probeFor(probes: Probes, request: FastifyRequest): Probe | undefined {
  if (!request.is404) return undefined
  const { method, url = '' } = request.raw
  return method === 'GET' || method === 'HEAD' ? probes.get(url.split('?', 1)[0] ?? '') : undefined
}

async function send(probe: Probe, reply: FastifyReply): Promise<void> {
  sendResponse(reply, await probe())
}

/** Answers them before the hooks of plugins that are registered later. */
export function answerProbesFirst(app: FastifyInstance, probes: Probes): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!answerProbe(probes, request, reply)) done()
  })
}
