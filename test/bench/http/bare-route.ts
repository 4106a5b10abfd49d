/** The route that everything is measured against: a plain Fastify route with the same check, schema and answer as the
 *  measured application's. */
import Fastify, { type FastifyInstance } from 'fastify'

/** It listens nowhere yet. */
export function bareRoute(): FastifyInstance {
  const app = Fastify({ logger: false })
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers.authorization !== 'Bearer bench')
      return reply.code(401).send({ error: 'invalid_token' })
  })
  const text = { type: 'string' }
  const tags = { type: 'array', items: text }
  const body = {
    type: 'object',
    properties: { title: text, text, tags },
    required: ['title', 'text', 'tags'],
  }
  const note = { id: text, title: text, text, tags, createdAt: text, pinned: { type: 'boolean' } }
  const schema = { body, response: { 201: { type: 'object', properties: note } } }
  app.post('/api/notes', { schema }, async (request, reply) => {
    reply.code(201)
    return {
      id: 'note_0123456789',
      ...Object(request.body),
      createdAt: '2026-07-28T12:00:00.000Z',
      pinned: false,
    }
  })
  const read = {
    params: { type: 'object', properties: { id: text } },
    response: { 200: schema.response[201] },
  }
  app.get<{ Params: { id: string } }>('/api/notes/:id', { schema: read }, async ({ params: { id } }) => ({
    id,
    title: 'A note of the bench',
    text: 'Some text that a model has written, about a line long.',
    tags: ['a', 'b'],
    createdAt: '2026-07-28T12:00:00.000Z',
    pinned: false,
  }))
  return app
}
