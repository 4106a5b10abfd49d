/** One server of `bench:http` in a process of its own: `http-server.js ours <folder>`, or `bare <controllers> [schemas]`.
 *  Prints its port when it listens, and its CPU microseconds for every line that it reads. */

import { randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { defaultPool } from '../../../runtime/store/pool.ts'
import { orderPath } from './http-application.ts'

const text = { type: 'string' }
const orderProperties = {
  product: text,
  quantity: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  urgent: { type: 'boolean' },
  tags: { type: 'array', items: text },
  address: {
    type: 'object',
    required: ['street', 'city', 'zip'],
    properties: { street: text, city: text, zip: text },
  },
}
const required = ['product', 'quantity', 'urgent', 'tags', 'address']
const newOrder = { type: 'object', required, properties: orderProperties }
const order = {
  type: 'object',
  required: [...required, 'id', 'total'],
  properties: { ...orderProperties, id: text, total: { type: 'number' } },
}

interface Order {
  readonly product: string
  readonly quantity: number
}

const checkKey = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
  if (request.headers['x-api-key'] === 'bench') done()
  else void reply.code(401).send({ error: 'invalid_token' })
}

function addRoutes(app: FastifyInstance, path: string, withSchemas: boolean, isWhole: boolean): void {
  const body = withSchemas ? { body: newOrder } : {}
  app.post<{ Body: Order }>(
    path,
    { preHandler: checkKey, ...(withSchemas ? { schema: { ...body, response: { 201: order } } } : {}) },
    async (request, reply) => {
      reply.code(201)
      return { ...request.body, id: 'o1', total: request.body.quantity * 2.5 }
    },
  )
  if (!isWhole) return
  const schema = withSchemas ? { schema: body } : {}
  app.get(path, { preHandler: checkKey }, async () => [])
  app.get<{ Params: { id: string } }>(
    `${path}/:id`,
    { preHandler: checkKey },
    async ({ params }) => params.id,
  )
  app.put<{ Params: { id: string }; Body: Order }>(
    `${path}/:id`,
    { preHandler: checkKey, ...schema },
    async ({ params, body: sent }) => params.id + sent.product,
  )
  app.delete<{ Params: { id: string } }>(
    `${path}/:id`,
    { preHandler: checkKey },
    async ({ params }) => params.id,
  )
}

function bareServer(count: number, withSchemas: boolean): FastifyInstance {
  const app = Fastify({ logger: false })
  for (let index = 0; index < count; index += 1) {
    addRoutes(app, index === 0 ? orderPath : `${orderPath}${index}`, withSchemas, count > 1)
  }
  return app
}

async function ourServer(folder: string): Promise<FastifyInstance> {
  // what `acmcp serve` loads, loaded here only when it is served
  const [{ createApplication }, { loadBundle }] = await Promise.all([
    import('../../../runtime/boot/application.ts'),
    import('../../../runtime/boot/bundle.ts'),
  ])
  const { server } = await createApplication(await loadBundle(folder), {
    environment: {
      production: true,
      host: '127.0.0.1',
      port: 0,
      baseUrl: 'http://localhost:3000',
      databasePool: defaultPool,
      databaseUrl: 'sqlite::memory:',
      jwtSecrets: [randomBytes(32).toString('hex')],
      sessionSecrets: [randomBytes(32).toString('hex')],
      jwtPrivateKeys: [],
      shutdownDelaySeconds: 0,
      devLogin: false,
      logLevel: 'silent',
      metrics: null,
    },
    migrate: true,
    clock: () => Date.now(),
    randomBytes: (size) => randomBytes(size),
  })
  return server
}

const [kind = '', what = '', schemas = ''] = process.argv.slice(2)
const server = kind === 'ours' ? await ourServer(what) : bareServer(Number(what), schemas === 'schemas')
const address = await server.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${new URL(address).port}\n`)
process.stdin.on('data', () => {
  const { user, system } = process.cpuUsage()
  process.stdout.write(`${user + system}\n`)
})
process.stdin.on('end', () => process.exit(0))
