/** Addresses at which the operator's monitoring asks how the server is, where no route stands. No hook of a plugin runs before them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpResponse, MaybePromise } from '../../contract/http.ts'
import { logQuietly } from '../log/quiet-requests.ts'
import { injectedCall } from '../plugins/inject.ts'
import { sendResponse } from '../server/send.ts'

/** By path. They never reject. */
export type Probes = ReadonlyMap<string, Probe>

/** `query` is what stands behind the question mark. */
export type Probe = (query: string) => MaybePromise<HttpResponse>

/** Answers a GET or HEAD of such an address; false when it asks for something else. */
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
  const { method, url = '' } = request.raw
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const probe = probes.get(url.split('?', 1)[0] ?? '')
  return probe === undefined || isOfRoute(request) ? undefined : probe
}

/** Not one with a variable there, of `/:page`: it knows no such page, and the process would be taken for dead. But a tool call that
 *  goes this way is that page's. */
function isOfRoute({ is404, routeOptions, raw }: FastifyRequest): boolean {
  return !is404 && (!isOpen(routeOptions.url ?? '') || injectedCall(raw) !== null)
}

/** Whether a path, as Fastify takes it, begins with what may be anything. */
const isOpen = (path: string): boolean => /^\/[^/]*[:*]/.test(path)

/** Whether one of these paths may stand for an address of a probe without being it. */
export const mayHideProbes = (paths: readonly string[]): boolean => paths.some(isOpen)

async function send(probe: Probe, reply: FastifyReply): Promise<void> {
  const [, query = ''] = reply.request.raw.url?.split('?', 2) ?? []
  sendResponse(reply, await probe(query))
}

/** Answers them before routes, and before the hooks of plugins that are registered later. */
export function answerProbesFirst(app: FastifyInstance, probes: Probes): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!answerProbe(probes, request, reply)) done()
  })
}
