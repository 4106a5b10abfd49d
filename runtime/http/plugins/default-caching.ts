/** Data is not kept by a cache unless it is said so: by the route, or a plugin when the answer leaves (@fastify/caching). */
import type { FastifyInstance, FastifyReply } from 'fastify'

const ours = new WeakSet<FastifyReply>()
const withheld = new WeakSet<FastifyReply>()

/** The answer says nothing of caching: what stands there is our default. */
export const markDefaultCaching = (reply: FastifyReply): void => void ours.add(reply)

/** Before the hooks of plugins, which find nothing said, as in an application of Fastify alone. */
export function withholdDefaultCaching(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (ours.has(reply) && reply.getHeader('cache-control') === 'no-store') {
      reply.removeHeader('cache-control')
      withheld.add(reply)
    }
    done(null, payload)
  })
}

/** Behind them. */
export function restoreDefaultCaching(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (withheld.has(reply) && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    done(null, payload)
  })
}
