/** One server of `npm run bench:mcp`, a process of its own. `bare` is a Fastify route with the same check, schema and
 *  answer; else the argument is the folder of the application that is served. Tells its port; answers `cpu` with the CPU
 *  time that it has used, in microseconds, and `heap` with the bytes in use after a collection. */
import { randomBytes } from 'node:crypto'
import Fastify from 'fastify'
import { createApplication } from '../../runtime/application.ts'
import { loadBundle } from '../../runtime/bundle.ts'

const [kind = 'bare'] = process.argv.slice(2)
const port = kind === 'bare' ? await serveBare() : await serveApplication(kind)
process.on('message', (asked) => {
  const { user, system } = process.cpuUsage()
  if (asked === 'heap') globalThis.gc?.()
  process.send?.(asked === 'heap' ? process.memoryUsage().heapUsed : user + system)
})
process.on('disconnect', () => process.exit())
process.send?.(port)

async function serveBare(): Promise<number> {
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
  return portOf(await app.listen({ port: 0, host: '127.0.0.1' }))
}

async function serveApplication(folder: string): Promise<number> {
  const { server } = await createApplication(await loadBundle(folder), {
    environment: {
      production: true,
      host: '127.0.0.1',
      port: 0,
      baseUrl: 'http://127.0.0.1',
      databaseUrl: 'sqlite::memory:',
      jwtPrivateKeys: [],
      jwtSecrets: [randomBytes(32).toString('hex')],
      sessionSecrets: [randomBytes(32).toString('hex')],
      devLogin: false,
      logLevel: 'silent',
    },
    migrate: true,
    clock: () => Date.now(),
    randomBytes: (bytes) => randomBytes(bytes),
  })
  return portOf(await server.listen({ port: 0, host: '127.0.0.1' }))
}

function portOf(address: string): number {
  return Number(new URL(address).port)
}
