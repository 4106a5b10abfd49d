/** Fastify plugins as applications have them: with any of them tool calls go through Fastify's own routing. */
import { gzipSync } from 'node:zlib'
import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Everything that a plugin can add to a request, before and after its handler. */
const decorating = async (app: FastifyInstance): Promise<void> => {
  const begun = new WeakMap<FastifyRequest, number>()
  app.decorate('shopName', 'conformance')
  app.decorateRequest('tenant', '')
  app.decorateReply('told', false)
  app.addHook('onRequest', async (request) => {
    begun.set(request, process.hrtime()[1])
    request.setDecorator('tenant', request.headers['x-tenant'] ?? 'nobody')
  })
  app.addHook('preParsing', async (_request, _reply, payload) => payload)
  app.addHook('preValidation', async () => {})
  app.addHook('preHandler', (_request, _reply, done) => void setImmediate(done))
  app.addHook('preSerialization', async (_request, _reply, payload) => payload)
  app.addHook('onSend', async (request, reply) => {
    reply.header('server-timing', `app;dur=${begun.has(request) ? 1 : 0}`)
    reply.header('x-tenant', request.getDecorator<string>('tenant'))
  })
  app.addHook('onResponse', async (request) => void begun.delete(request))
}

/** A cookie in every answer, as a basket of a visitor. */
const visiting = async (app: FastifyInstance): Promise<void> => {
  app.addHook('onRequest', async (request, reply) => {
    if (request.cookies.visitor === undefined)
      reply.setCookie('visitor', request.id, { httpOnly: true, path: '/' })
  })
}

/** As @fastify/compress does: what a client takes compressed is sent so. */
const compressing = async (app: FastifyInstance): Promise<void> => {
  app.addHook('onSend', async (request, reply, payload) => {
    const isTaken = String(request.headers['accept-encoding'] ?? '').includes('gzip')
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isTaken || !isWhole || payload.length === 0 || reply.hasHeader('content-encoding')) return payload
    reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding').removeHeader('content-length')
    return gzipSync(payload)
  })
}

/** In the order of `defineApp({ plugins })`. */
export const fixturePlugins: readonly unknown[] = [cookie, decorating, visiting, compressing]
