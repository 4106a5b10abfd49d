/** One application that uses everything at once (`studio.ts`), built and served over real
 *  connections; what is a tool is called as one, behind plugins and without. Source: language.md. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type * as Ws from 'ws'
import { parse } from 'yaml'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { built, folderOf, strictSettings, typeErrors } from '../../cli/support/built-app.ts'
import { answerTo, rawClient } from '../support/raw.ts'
import { studio } from '../support/studio.ts'

// `ws` is a dependency of @fastify/websocket, not of ours
const { WebSocket }: typeof Ws = createRequire(createRequire(import.meta.url).resolve('@fastify/websocket'))(
  'ws',
)

const ofTheConnection = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'x-stamp'])
/** What every JSON answer of a route carries. */
const ofJson = new Set(['cache-control: no-store', 'x-content-type-options: nosniff'])
type Seen = readonly [status: number, headers: Readonly<Record<string, string>>, body: unknown]

const json = 'application/json; charset=utf-8'
const uploads = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('acmcp-upload-'))

t.setTimeout(240_000)

t.test('an application that uses everything', async (t) => {
  const root = folderOf(t, { 'tsconfig.json': strictSettings, ...studio })
  const { stderr } = await built(root)
  t.match(stderr, /^app\/studio\.ts:\d+:7 - warning ACM205: the handler range has no status: 200 is sent$/m)
  t.equal(typeErrors(root), '')
  const cwd = process.cwd()
  t.teardown(() => process.chdir(cwd))
  const document = readFileSync(join(root, 'generated/openapi.yml'), 'utf8')

  t.test('its document passes @redocly/cli lint', async (t) => {
    const env = { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const lint = spawnSync('node_modules/.bin/redocly', ['lint', join(root, 'generated/openapi.yml')], {
      cwd,
      encoding: 'utf8',
      env,
    })
    t.equal(lint.status, 0, lint.stdout + lint.stderr)
  })

  process.chdir(root) // `this.file` reads below the working directory
  const app = await openTestApp({ cwd: root })
  const bare = await openTestApp({
    cwd: root,
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), plugins: [] } }), // a plain object
  })
  t.teardown(() => Promise.all([app.close(), bare.close()]))
  const origin = await app.application.server.listen({ port: 0, host: '127.0.0.1' })
  const port = Number(new URL(origin).port)
  const http = async (path: string, init: RequestInit = {}): Promise<Seen> => {
    const answer = await fetch(`${origin}${path}`, { redirect: 'manual', ...init })
    const headers = [...answer.headers].filter(
      ([name, value]) => !ofTheConnection.has(name) && !ofJson.has(`${name}: ${value}`),
    )
    const text = await answer.text()
    const isJson = answer.headers.get('content-type') === json
    return [answer.status, Object.fromEntries(headers), isJson && text !== '' ? JSON.parse(text) : text]
  }
  const post = (path: string, type: string, body: string): Promise<Seen> =>
    http(path, { method: 'POST', headers: { 'content-type': type }, body })

  t.test(
    'UploadedFile: a file and fields arrive by multipart, and the file is gone after the answer',
    async (t) => {
      const before = uploads()
      const body = new FormData()
      body.set('photo', new File(['bytes'], 'sea.png', { type: 'image/png' }))
      body.set('caption', 'Ü')
      body.append('tags', 'a')
      body.append('tags', 'b')
      const [status, headers, stored] = await http('/pictures', { method: 'POST', body })
      const { path, ...rest } = stored as { readonly path: string } // what the action returns
      t.strictSame(
        [status, headers, rest],
        [
          201,
          {
            'content-type': json,
            'content-length': headers['content-length'],
            location: '/pictures/last',
            'set-cookie': 'last=%C3%9C; Path=/; SameSite=Lax',
          },
          { name: 'sea.png', type: 'image/png', size: 5, text: 'bytes', caption: 'Ü', tags: ['a', 'b'] },
        ],
      )
      t.throws(() => statSync(path), { code: 'ENOENT' })
      t.strictSame(uploads(), before)
      const noFile = await post('/pictures', 'application/json', '{"photo":"/etc/passwd","caption":"x"}')
      t.strictSame(
        [noFile[0], noFile[2]],
        [
          400,
          {
            error: "invalid parameter value for 'photo': expected UploadedFile, got text",
            parameter: 'photo',
            restriction: 'UploadedFile',
          },
        ],
      )
    },
  )

  t.test('cookies, headers and the plugin: what one answer sets the next request brings', async (t) => {
    const answer = await fetch(`${origin}/pictures/last`, {
      headers: { cookie: 'last=%C3%9C', 'x-caller': 'me' },
    })
    t.strictSame([await answer.json(), answer.headers.get('x-stamp')], [{ last: 'Ü', caller: 'me' }, 'me'])
  })

  t.test('string enums, the responder of the application, and @produces with it', async (t) => {
    const requested = await http('/pictures?frame=light-ash', { headers: { accept: 'text/csv' } })
    const csv = { 'content-type': 'text/csv; charset=utf-8', 'content-length': '27' }
    t.strictSame(requested, [200, csv, 'Sea,light-ash\nSky,light-ash'])
    t.strictSame((await http('/pictures?frame=pink'))[2], {
      error: `invalid parameter value for 'frame': expected "none" | "oak" | "light-ash", got text`,
      parameter: 'frame',
      restriction: '"none" | "oak" | "light-ash"',
    })
    const table = await http('/pictures/table', { headers: { accept: 'application/json' } })
    t.strictSame(table, [200, { ...csv, 'content-length': '7' }, 'Sea\nSky'])
  })

  t.test('the parser of the application beside the built-in ones', async (t) => {
    t.strictSame((await post('/pictures/titles', 'application/x-lines', 'a\nb'))[2], ['a', 'b'])
    const [status, , body] = await post('/pictures/titles', 'application/zip', 'x')
    t.equal(status, 415)
    t.equal((body as { readonly accepts: readonly string[] }).accepts.at(-1), 'application/x-lines')
  })

  t.test('Map, URL, Buffer and Set come from JSON and from a form, and go out as JSON', async (t) => {
    const sizes = { a: '2020-01-02T00:00:00.000Z' }
    const provided = { sizes, page: 'https://a.example/b', thumb: 'aGk=', seen: ['x', 'y'] }
    const kept = { sizes, host: 'a.example', thumb: 2, same: 'aGk=', seen: ['x', 'y'], year: 2020 }
    t.strictSame((await post('/pictures/kept', 'application/json', JSON.stringify(provided)))[2], kept)
    const form = new URLSearchParams({ ...provided, sizes: JSON.stringify(sizes), seen: 'x,y' })
    const sent = await post('/pictures/kept', 'application/x-www-form-urlencoded', form.toString())
    t.strictSame(sent[2], kept)
  })

  t.test('the class of the value decides about the status', async (t) => {
    const buy = async (title: string): Promise<unknown> => {
      const [status, , body] = await post('/pictures/buy', 'application/json', JSON.stringify({ title }))
      return [status, body]
    }
    t.strictSame([await buy('Sea'), await buy('Sky')], [[202, 'Sea'], [410, { sold: true }]]) // biome-ignore format: pairs
  })

  t.test('path helpers: a redirect to a typed address', async (t) => {
    const location = '/pictures?frame=light-ash'
    t.strictSame(await http('/pictures/where'), [303, { 'content-length': '0', location }, ''])
    t.strictSame(
      await http('/pictures/where', { headers: { accept: 'image/png' } }),
      [303, { 'content-length': '0', location }, ''],
      'what a method renders itself is not negotiated',
    )
  })

  t.test('exception handlers from the source to the answer', async (t) => {
    const fail = async (how: string, accept = '*/*'): Promise<unknown> => {
      const [status, headers, body] = await http(`/pictures/fail/${how}`, { headers: { accept } })
      return [status, headers['content-type'], body]
    }
    t.strictSame(await fail('api?hint=h'), [409, json, { conflict: 409, hint: 'h' }])
    t.strictSame(await fail('api', 'text/yaml'), [409, 'text/yaml; charset=utf-8', 'conflict: 409\n'])
    t.strictSame(await fail('api?status=410'), [410, json, { failed: 410 }])
    t.strictSame(await fail('teapot'), [418, 'text/plain; charset=utf-8', 'short and stout'])
    t.strictSame(
      await fail('range'),
      [200, json, { range: 'pictures: out of range' }],
      '200; the untagged override runs',
    )
    const [status, type] = (await fail('plain')) as readonly unknown[] // three
    t.strictSame([status, type], [500, 'text/html; charset=utf-8'])
  })

  t.test('this.file: type, validators, ranges, 304, nothing outside of its root', async (t) => {
    const [status, headers, body] = await http('/files/disk/a.txt', { headers: { accept: 'image/*' } })
    const { etag = '', 'last-modified': modified = '', ...rest } = headers
    const type = { 'content-type': 'text/plain; charset=utf-8' }
    t.strictSame([status, rest, body], [200, { ...type, 'accept-ranges': 'bytes', 'content-length': '10' }, '0123456789']) // biome-ignore format: one answer
    const about = { etag, 'last-modified': modified, 'accept-ranges': 'bytes' }
    t.strictSame(await http('/files/disk/a.txt', { headers: { range: 'bytes=2-4' } }), [
      206,
      { ...about, ...type, 'content-range': 'bytes 2-4/10', 'content-length': '3' },
      '234',
    ])
    t.strictSame(await http('/files/disk/a.txt', { headers: { range: 'bytes=10-' } }), [
      416,
      { ...about, 'content-range': 'bytes */10', 'content-length': '0' },
      '',
    ])
    t.strictSame(await http('/files/disk/a.txt', { headers: { 'if-none-match': etag } }), [304, about, ''])
    for (const path of [
      '..%2foutside.txt',
      '%2e%2e%2foutside.txt',
      'b.txt',
      '..%2f..%2f..%2f..%2fetc%2fpasswd',
    ]) {
      const refused = await http(`/files/disk/${path}`)
      t.strictSame([refused[0], refused[2]], [404, { error: 'not found' }], path)
    }
  })

  t.test('File and Blob go with their own type and length, unless @produces says another', async (t) => {
    t.strictSame(await http('/files/report', { headers: { accept: 'image/png' } }), [
      200,
      {
        'content-type': 'text/csv; charset=utf-8',
        'content-length': '3',
        'content-disposition': 'attachment; filename="report.csv"',
      },
      '1;2',
    ])
    t.strictSame(await http('/files/blob'), [200, { 'content-type': json, 'content-length': '7' }, { a: 1 }])
    t.strictSame(await http('/files/image'), [200, { 'content-type': 'image/png', 'content-length': '3' }, '\x01\x02\x03']) // biome-ignore format: one answer
  })

  t.test(
    'streams: texts as they are; one that fails before its first byte is a 500 of its own',
    async (t) => {
      t.strictSame(await http('/files/log'), [
        200,
        { 'content-type': 'text/plain; charset=utf-8' },
        'one\ntwo\n',
      ])
      const [status, headers] = await http('/files/broken')
      t.strictSame(
        [status, headers.etag, headers['content-type'], headers['content-security-policy']],
        [500, undefined, 'text/html; charset=utf-8', "default-src 'none'"],
      )
    },
  )

  t.test('events: EventSource gets one block an item, whatever type it accepts', async (t) => {
    const headers = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    }
    const events = 'event: tick\nid: 0\ndata: {"at":0}\n\nevent: tick\nid: 1\ndata: {"at":1}\n\n'
    for (const accept of ['text/event-stream', 'application/json', '*/*'])
      t.strictSame(await http('/files/events', { headers: { accept } }), [200, headers, events])
    const content = parse(document).paths['/files/events'].get.responses['200'].content
    t.strictSame(content['text/event-stream'].schema, {
      type: 'object',
      properties: { at: { type: 'number' } },
      required: ['at'],
    })
  })

  t.test('an endless stream ends with its client', async (t) => {
    const client = await rawClient(port)
    client.write('GET /files/endless HTTP/1.1\r\nHost: localhost\r\n\r\n')
    t.match(await client.until(/\r\n\r\n[\s\S]{200000}/), /^HTTP\/1\.1 200 OK\r\n/)
    client.socket.destroy()
    t.equal((await http('/files/log'))[0], 200)
  })

  t.test('@requireTls: plain http is sent to https, on the base URL', async (t) => {
    const text = await answerTo(
      port,
      'GET /files/secret?a=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
    )
    t.match(text, /^HTTP\/1\.1 302 Found\r\nlocation: https:\/\/localhost:3000\/files\/secret\?a=1\r\n/)
    t.strictSame((await http('/files/secret', { headers: { 'x-forwarded-proto': 'https' } }))[2], 'secret')
  })

  t.test('a WebSocket route: the socket first, then path and query', async (t) => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/files/chat/lobby?name=ada`, {
      headers: { accept: 'image/png' },
    })
    const said = new Promise((resolve, reject) => {
      socket.on('error', reject)
      socket.on('message', (data) => resolve(String(data)))
    })
    socket.on('open', () => socket.send('hello'))
    t.equal(await said, 'lobby ada: hello')
    socket.close()
    t.strictSame((await http('/files/chat/lobby'))[0], 426)
  })

  t.test('tool calls: the same answers behind plugins and without', async (t) => {
    for (const [name, provided, expected] of calls) {
      for (const testApp of [app, bare]) t.strictSame(await called(testApp, name, provided), expected, name)
    }
  })

  t.test('a tool call on an endless stream is bounded', async (t) => {
    const uri = 'http://localhost:3000/files/endless'
    const shown = { type: 'text', text: 'x'.repeat(48_000) }
    for (const [testApp, read] of [
      [app, 129 * 65_536],
      [bare, 65 * 65_536],
    ] as const) {
      const text = `The first 48000 of more than ${read} characters are shown; ask for less, or read all of it at ${uri}.`
      t.strictSame(await called(testApp, 'files_endless', {}), {
        content: [shown, { type: 'text', text }],
      })
    }
  })
})

async function called(app: TestApp, name: string, provided: object): Promise<unknown> {
  const { body } = await app.client().request({
    method: 'POST',
    url: '/mcp',
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: provided } },
  })
  return JSON.parse(/\{.*\}/s.exec(body)?.[0] ?? '{}').result
}

const text = (value: string): object => ({ content: [{ type: 'text', text: value }] })
const value = (of: object): object => ({ ...text(JSON.stringify(of)), structuredContent: of })
const failed = (status: string, of: object): object => ({
  ...text(`${status}\n${JSON.stringify(of)}`),
  structuredContent: of,
  isError: true,
})
const sizes = { a: '2020-01-02T00:00:00.000Z' }

const calls: readonly (readonly [name: string, given: object, expected: object])[] = [
  ['files_disk', { path: 'a.txt' }, text('0123456789')],
  ['files_report', {}, text('1;2')],
  ['files_blob', {}, value({ a: 1 })],
  ['files_image', {}, { content: [{ type: 'image', data: 'AQID', mimeType: 'image/png' }] }],
  ['files_log', {}, text('one\ntwo\n')],
  ['files_large', {}, text('a'.repeat(18_000) + 'b'.repeat(18_000))],
  ['files_secret', {}, text('302 Found\nLocation: https://localhost:3000/files/secret')],
  ['pictures_table', {}, text('Sea\nSky')],
  [
    'pictures_buy',
    { title: 'Sky' },
    { ...text('410 Gone\n{"sold":true}'), isError: true, structuredContent: { sold: true } },
  ],
  [
    'pictures_titles',
    { list: { titles: ['x'] } },
    { ...text('["x"]'), structuredContent: { result: ['x'] } },
  ],
  ['pictures_where', {}, text('303 See Other\nLocation: /pictures?frame=light-ash')],
  [
    'pictures_kept',
    { sizes, page: 'https://a.example/b', thumb: 'aGk=', seen: ['x'] },
    value({ sizes, host: 'a.example', thumb: 2, same: 'aGk=', seen: ['x'], year: 2020 }),
  ],
  ['pictures_fail', { how: 'api' }, failed('409 Conflict', { conflict: 409 })],
  ['pictures_fail', { how: 'teapot' }, { ...text("418 I'm a Teapot\nshort and stout"), isError: true }],
]
