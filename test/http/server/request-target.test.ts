/** What routes, filters, hooks and the log see of an address, however it was written. Source: RFC 9112, 3.2; RFC 3986, 6.2.2;
 *  decisions/http.md, Server and connections. */
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import type { HttpRequest } from '../../../runtime/contract/http.ts'
import { jsonResponse } from '../../../runtime/http/pipeline/error-handler.ts'
import { answerTo, lastAnswer } from '../support/raw.ts'
import { endpoint, shell } from '../support/shell.ts'

/** What the hook of a plugin saw, and whether it is one that looks at the beginning of the address. */
const watching = (seen: string[]): AppPlugin => {
  const plugin = async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', async (request, reply) => {
      seen.push(`${request.url} ${request.originalUrl} ${request.host}`)
      reply.header('x-hooked', '1')
      if (request.url.startsWith('/admin')) return reply.code(403).send({ error: 'closed' })
    })
  }
  return plugin as AppPlugin
}

const tell = (name: string) => (request: HttpRequest) =>
  jsonResponse(200, { at: name, path: request.path, url: request.url, host: request.headers.host })

async function serving(t: Test, plugins: readonly AppPlugin[]): Promise<{ port: number; lines: string[] }> {
  const lines: string[] = []
  const { app } = await shell(
    [
      endpoint('/', tell('root')),
      endpoint('/admin/secrets', tell('secrets')),
      endpoint('/files/*', tell('files')),
      endpoint('/:first/:second', tell('two')),
    ],
    { plugins, log: { level: 'info', mask: [], ms: false, stream: { write: (line) => lines.push(line) } } },
  )
  t.teardown(() => app.close())
  const address = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  return { port: Number(address.port), lines }
}

type Seen = readonly [at: string, path: string, host: string] | number

/** Target, and what the endpoint was told (or the status of the refusal). */
const targets: readonly (readonly [target: string, seen: Seen])[] = [
  ['/admin/secrets', ['secrets', '/admin/secrets', 'a.example']],
  ['http://b.example/admin/secrets', ['secrets', '/admin/secrets', 'b.example']],
  ['HTTP://B.example:81/admin/secrets?a=http://c/d', ['secrets', '/admin/secrets', 'B.example:81']],
  ['https://b.example/admin/secrets#x', ['secrets', '/admin/secrets', 'b.example']],
  ['http://b.example', ['root', '/', 'b.example']],
  ['http://b.example?x=/admin/secrets', ['root', '/', 'b.example']],
  ['/%61dmin/secret%73', ['secrets', '/admin/secrets', 'a.example']],
  ['http://b.example/%61dmin/secrets', ['secrets', '/admin/secrets', 'b.example']],
  ['/admin/secrets#x', ['secrets', '/admin/secrets', 'a.example']],
  ['/admin%2Fsecrets', 404],
  ['/%2561dmin/secrets', ['two', '/%2561dmin/secrets', 'a.example']],
  ['/caf%c3%a9/x', ['two', '/caf%C3%A9/x', 'a.example']],
  ['//b.example/admin', 404],
  ['//admin/secrets', 404],
  ['/admin//secrets', 404],
  ['/x/../admin/secrets', 404],
  ['/files/../admin/secrets', ['files', '/files/../admin/secrets', 'a.example']],
  ['/files/%2e%2e/admin', ['files', '/files/../admin', 'a.example']],
  ['/files/%zz', 400],
  ['/%ff/x', 400],
  ['/files/%', 400],
  ['*', 400],
  ['http:///admin/secrets', 400],
  ['http://user@b.example/admin/secrets', 400],
  ['ftp://b.example/admin/secrets', 400],
]

/** What Node's parser refuses before anything of ours. */
const refusedByParser = [
  'b.example:443',
  'admin/secrets',
  'http:admin/secrets',
  'http://b.example#/admin/secrets',
]

const ask = async (port: number, target: string, method = 'GET'): Promise<string> =>
  answerTo(port, `${method} ${target} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`)

t.test('an endpoint and the log see a path from the root, and the host of a whole address', async (t) => {
  const { port, lines } = await serving(t, [])
  for (const [target, seen] of targets) {
    lines.length = 0
    const { status, body } = lastAnswer(await ask(port, target))
    const { at, path, host } = (body ?? {}) as Record<string, string>
    t.strictSame(status === 200 ? [at, path, host] : status, seen, target)
    const logged = lines.map((line) => JSON.parse(line)).map((line) => [line.event, line.path?.split('?')[0]])
    const shown = typeof seen === 'number' ? target : seen[1]
    t.strictSame(logged, [['response', shown]], `${target}: one line`)
    t.notMatch(lines.join(), /"route":"\/[0-9a-f]{8}-/, 'no route of ours')
  }
  for (const target of refusedByParser) t.equal(lastAnswer(await ask(port, target)).status, 400, target)
  t.match(await ask(port, '*', 'OPTIONS'), /^HTTP\/1.1 204 /)
})

t.test('hooks of plugins see the same, and a closed part of the application stays closed', async (t) => {
  const seen: string[] = []
  const { port } = await serving(t, [watching(seen)])
  for (const [target, told] of targets) {
    seen.length = 0
    const text = await ask(port, target)
    const status = Number(text.slice(9, 12))
    t.match(text, /x-hooked: 1/, `${target}: hooks are reached`)
    t.equal(seen.length, 1)
    const [url = '', original, host] = seen[0]?.split(' ') ?? []
    t.equal(url, original)
    const isAdmin = url.startsWith('/admin')
    if (typeof told === 'number') t.equal(status, isAdmin ? 403 : told, target)
    else t.strictSame([status, url.split('?')[0], host], [isAdmin ? 403 : 200, told[1], told[2]], target)
  }
})

t.test(
  'a message that lacks the Host header, or has it twice, is refused whatever its address says',
  async (t) => {
    const { port } = await serving(t, [])
    const answers = await Promise.all(
      ['', 'Host: a\r\nHost: b\r\n'].map((hosts) =>
        answerTo(port, `GET http://b.example/ HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`),
      ),
    )
    t.strictSame(
      answers.map((text) => lastAnswer(text).body),
      [{ error: 'the Host header is missing' }, { error: 'the Host header is there twice' }],
    )
  },
)
