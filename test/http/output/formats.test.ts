/** What is read and what is written, by media type: the built-in formats and the application's own.
 *  Source: RFC 9110, 12.5.1 and 8.3; rules.md, Accept. */
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import type { HttpRequest } from '../../../runtime/contract/http.ts'
import type { ParamDecoder } from '../../../runtime/contract/route.ts'
import {
  JsonParseError,
  MissingError,
  NotAcceptable,
  NotFound,
  PayloadTooLarge,
  UnsupportedMediaType,
} from '../../../runtime/errors.ts'
import * as c from '../../../runtime/http/codec/codec.ts'
import { createFormats } from '../../../runtime/http/output/formats.ts'
import { responseType } from '../../../runtime/http/output/respond.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { plainConfig } from '../support/formats.ts'
import { type OneRoute, openProbe, report } from '../support/one-route.ts'

const wholeBody: ParamDecoder = { name: 'body', from: 'body', required: true, codec: c.unknown }
/** As the page on plugins has it. */
function parseYaml(bytes: Uint8Array): unknown {
  if (bytes.length > maxBytes) throw new PayloadTooLarge(maxBytes)
  try {
    return parse(new TextDecoder().decode(bytes), { maxAliasCount: 100, logLevel: 'error', schema: 'core' })
  } catch {
    throw new JsonParseError('YAML')
  }
}
const maxBytes = 16 * 1024
const yamlParsers = { 'application/yaml': parseYaml, 'text/yaml': parseYaml }

const fieldA: ParamDecoder = { name: 'a', from: 'field', required: true, codec: c.string }

const handlers = [
  report(JsonParseError, 400),
  report(UnsupportedMediaType, 415),
  report(NotAcceptable, 406),
  report(NotFound, 404),
  report(MissingError, 422),
]

const open = (t: Test, route: Partial<OneRoute> = {}): Promise<TestApp> =>
  openProbe(t, {
    verb: 'POST',
    handlers,
    params: [wholeBody],
    call: (_probe, value) => ({ value }),
    ...route,
  })

const send = async (app: TestApp, type: string, payload: string | Buffer): Promise<readonly unknown[]> => {
  const headers = { 'content-type': type }
  const answer = await app.client().request({ method: 'POST', url: '/probe', headers, payload })
  return [answer.statusCode, answer.json()]
}

const offered = ['application/json', 'application/yaml', 'text/yaml', 'text/plain', 'text/csv']

/** `Accept` and what it comes to; null = 406. */
const negotiation: readonly (readonly [string | null, string | null])[] = [
  [null, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['text/*', 'text/yaml'],
  ['text/plain', 'text/plain'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV', 'text/csv'],
  ['text/csv;header=present;q=0.5, text/plain;q=0.4', 'text/csv'],
  ['application/json;q=0, */*', 'application/yaml'],
  ['application/*;q=0, text/*;q=0, text/csv', 'text/csv'],
  ['text/html, text/csv;q=0.1', 'text/csv'],
  ['text/html, */*;q=0.1', 'application/json'],
  ['application/json;q=0.5,text/csv;q=0.6', 'text/csv'],
  ['application/json;q=0.5 , text/csv ; q=0.5', 'application/json'],
  ['*/*;q=0.5, text/plain;q=0.9', 'text/plain'],
  ['image/png', null],
  ['*/*;q=0', null],
  ['text/html', null],
  ['application/json;q=0', null],
]

t.test('RFC 9110, 12.5.1: Accept chooses among all responders, the application’s own too', async (t) => {
  const formats = createFormats({ ...plainConfig, responders: { 'text/csv': () => '' } })
  t.strictSame(formats.answerTypes, offered)
  for (const [accept, expected] of negotiation) {
    const choose = (): string => responseType(accept, formats)
    if (expected === null) t.throws(choose, new NotAcceptable(offered), String(accept))
    else t.equal(choose(), expected, String(accept))
  }
})

t.test('one value in every format', async (t) => {
  const value = { n: 1, list: ['a', null], at: new Date(0), big: 2n ** 60n, map: new Map([['k', 'v']]) }
  const app = await open(t, { verb: 'GET', params: [], call: () => value })
  const answer = async (accept: string): Promise<readonly unknown[]> => {
    const { statusCode, headers, body } = await app.client().get('/probe', { accept })
    return [statusCode, headers['content-type'], body]
  }
  const json =
    '{"n":1,"list":["a",null],"at":"1970-01-01T00:00:00.000Z","big":"1152921504606846976","map":{"k":"v"}}'
  t.strictSame(await answer('application/json'), [200, 'application/json; charset=utf-8', json])
  t.strictSame(await answer('text/plain'), [200, 'text/plain; charset=utf-8', json])
  const yaml = `n: 1
list:
  - a
  - null
at: 1970-01-01T00:00:00.000Z
big: "1152921504606846976"
map:
  k: v
`
  t.strictSame(await answer('application/yaml'), [200, 'application/yaml; charset=utf-8', yaml])
  t.strictSame(await answer('text/yaml'), [200, 'text/yaml; charset=utf-8', yaml])
})

t.test('plain text is the text itself; other values are JSON, without quotes around one text', async (t) => {
  const values = ['a "b"', '', 1.5, true, null, 7n, new Date(0), ['a'], { a: '"' }]
  const app = await open(t, {
    verb: 'GET',
    params: [{ name: 'at', from: 'query', required: true, codec: c.integer }],
    call: (_probe, at: number) => values[at],
  })
  const texts = values.map(async (_value, at) => {
    const answer = await app.client().get(`/probe?at=${at}`, { accept: 'text/plain' })
    return answer.body
  })
  t.strictSame(await Promise.all(texts), [
    'a "b"',
    '',
    '1.5',
    'true',
    'null',
    '7',
    '1970-01-01T00:00:00.000Z',
    '["a"]',
    '{"a":"\\""}',
  ])
})

t.test('@produces: its responder if there is one, else a text or bytes as they are', async (t) => {
  const responders = { 'text/csv': (value: unknown): string => `csv:${value}` }
  const answer = async (produces: string, value: unknown): Promise<readonly unknown[]> => {
    const app = await open(t, {
      verb: 'GET',
      params: [],
      produces,
      config: { responders },
      call: () => value,
    })
    const { statusCode, headers, body } = await app.client().get('/probe', { accept: 'image/png' })
    return [statusCode, headers['content-type'], body]
  }
  t.strictSame(await answer('text/csv', 'a'), [200, 'text/csv; charset=utf-8', 'csv:a'])
  t.strictSame(await answer('text/csv; header=present', 'a'), [200, 'text/csv; header=present', 'csv:a'])
  t.strictSame(await answer('text/html', '<b>'), [200, 'text/html; charset=utf-8', '<b>'])
  t.strictSame(await answer('image/png', Buffer.from('png')), [200, 'image/png', 'png'])
  t.strictSame(await answer('application/problem+json', { a: 1n }), [
    200,
    'application/problem+json; charset=utf-8',
    '{"a":"1"}',
  ])
  t.equal((await answer('text/html', { a: 1 }))[0], 500, 'an object has no form in HTML')
})

t.test('own responders may wait, see the request and give bytes; a failure is handled', async (t) => {
  const responders = {
    'application/octet-stream': async (value: unknown, request: HttpRequest) => {
      if (value === 'bad') throw new NotFound('no such form')
      return Buffer.from(`${request.method} ${value}`)
    },
    'application/json': () => '"mine"',
  }
  const app = await open(t, {
    verb: 'GET',
    params: [{ name: 'v', from: 'query', required: true, codec: c.string }],
    config: { responders },
    call: (_probe, value) => value,
  })
  const answer = async (value: string, accept: string): Promise<readonly unknown[]> => {
    const { statusCode, headers, body } = await app.client().get(`/probe?v=${value}`, { accept })
    return [statusCode, headers['content-type'], body]
  }
  const bytes = 'application/octet-stream'
  t.strictSame(await answer('x', bytes), [200, bytes, 'GET x'])
  t.strictSame(await answer('x', '*/*'), [200, 'application/json; charset=utf-8', '"mine"'])
  t.strictSame(await answer('bad', bytes), [404, bytes, 'GET [object Object]'])
})

t.test('spec, Exception handlers 3: a handler’s value in YAML when Accept asks for it', async (t) => {
  const app = await open(t, {
    verb: 'GET',
    params: [],
    call: () => {
      throw new NotFound('gone')
    },
  })
  const { statusCode, headers, body } = await app.client().get('/probe', { accept: 'text/yaml' })
  t.strictSame(
    [statusCode, headers['content-type'], body],
    [404, 'text/yaml; charset=utf-8', 'error: gone\n'],
  )
})

t.test(
  'bodies in every built-in format, and in YAML by a parser as the page on plugins has it',
  async (t) => {
    const app = await open(t, { config: { parsers: yamlParsers } })
    const yaml = 'a: 1\nlist: &l [x, y]\nagain: *l\n'
    const fromYaml = { a: 1, list: ['x', 'y'], again: ['x', 'y'] }
    const table: readonly (readonly [string, string, unknown])[] = [
      ['application/json', '{"a":[1,null]}', { a: [1, null] }],
      ['APPLICATION/JSON; Charset="UTF-8"', '\ufeff1', 1],
      ['application/x-www-form-urlencoded', 'a=1&b=%C3%BC+x', { a: '1', b: 'ü x' }],
      ['application/yaml', yaml, fromYaml],
      ['text/yaml; charset=utf-8', yaml, fromYaml],
      ['text/plain', 'ä\n', 'ä\n'],
    ]
    for (const [type, payload, value] of table)
      t.strictSame(await send(app, type, payload), [200, { value }], type)
  },
)

t.test('a field comes from YAML as from JSON', async (t) => {
  const app = await open(t, { params: [fieldA], call: (_probe, a) => a, config: { parsers: yamlParsers } })
  t.strictSame(await send(app, 'text/yaml', 'a: "1"'), [200, '1'])
  const missing = [422, { error: "missing required parameter 'a'" }]
  t.strictSame(await send(app, 'text/plain', 'a: 1'), missing, 'a text has no fields')
})

t.test('malformed bodies and bodies that are not UTF-8 are 400', async (t) => {
  const app = await open(t, { config: { parsers: yamlParsers } })
  const bad = (format: string): readonly unknown[] => [
    400,
    { error: `the request body is not valid ${format}` },
  ]
  const latin = Buffer.from('{"a": "\xe9"}', 'latin1')
  const table: readonly (readonly [string, string | Buffer, string])[] = [
    ['application/json', '{"a"', 'JSON'],
    ['application/json', latin, 'JSON'],
    ['application/x-www-form-urlencoded', latin, 'form data'],
    ['application/yaml', 'a: [', 'YAML'],
    ['application/yaml', 'a: 1\na: 2', 'YAML'],
    ['application/yaml', '---\na\n---\nb', 'YAML'],
    ['application/yaml', '*nothing', 'YAML'],
    ['text/plain', latin, 'text'],
  ]
  for (const [type, payload, format] of table) {
    t.strictSame(await send(app, type, payload), bad(format), `${type} ${String(payload).slice(0, 20)}`)
  }
})

t.test('YAML aliases cannot grow without end, and no tag runs code', async (t) => {
  const app = await open(t, { config: { parsers: yamlParsers } })
  const levels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
  const row = (name: string, before: string): string => `${name}: &${name} [${`*${before},`.repeat(9)}]`
  const bomb = ['z: &z [lol]', ...levels.map((name, at) => row(name, levels[at - 1] ?? 'z'))].join('\n')
  t.strictSame(await send(app, 'application/yaml', bomb), [
    400,
    { error: 'the request body is not valid YAML' },
  ])
  const [status, body] = await send(app, 'application/yaml', 'a: !!js/function "function () { return 1 }"')
  t.strictSame([status, body], [200, { value: { a: 'function () { return 1 }' } }])
})

t.test('__proto__ and constructor are names like others', async (t) => {
  const app = await open(t, {
    params: [{ ...fieldA, required: false }],
    call: (_probe, a) => ({ a: a ?? 'none' }),
    config: { parsers: yamlParsers },
  })
  const table: readonly (readonly [string, string])[] = [
    ['application/json', '{"__proto__":{"a":"x"},"constructor":{"prototype":{"a":"x"}}}'],
    ['application/yaml', '__proto__: {a: x}\nconstructor: {prototype: {a: x}}'],
    ['application/x-www-form-urlencoded', '__proto__=x&constructor.prototype.a=x'],
  ]
  for (const [type, payload] of table) t.strictSame(await send(app, type, payload), [200, { a: 'none' }])
  t.equal(Object.hasOwn(Object.prototype, 'a'), false)
})

t.test('unknown types and other charsets are 415, and the answer lists what is read', async (t) => {
  const parsers = { 'application/msgpack': (bytes: Uint8Array): unknown => bytes.length }
  const app = await open(t, { config: { parsers } })
  const types = [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'text/plain',
    'application/msgpack',
  ]
  const refused = [415, { error: `unsupported body format, accepts: ${types.join(', ')}` }]
  for (const type of [
    'application/xml',
    'text',
    '',
    'application/json; charset=iso-8859-1',
    'text/plain;charset="utf-16"',
    'multipart/form-data; boundary=x; charset=latin1',
  ]) {
    t.strictSame(await send(app, type, 'x'), refused, type)
  }
  t.strictSame(await send(app, 'application/msgpack; charset=binary', 'abc'), [200, { value: 3 }])
})

t.test('own parsers get the bytes and the request, and may fail as they like', async (t) => {
  const parsers = {
    'text/csv': async (bytes: Uint8Array, request: HttpRequest): Promise<unknown> => {
      if (bytes.length === 0) throw new NotFound(`nothing in ${request.method}`)
      return Buffer.from(bytes).toString().split(',')
    },
    'application/json': (): unknown => 'mine',
  }
  const app = await open(t, { config: { parsers } })
  t.strictSame(await send(app, 'text/csv', 'a,b'), [200, { value: ['a', 'b'] }])
  t.strictSame(await send(app, 'text/csv', ''), [404, { error: 'nothing in POST' }])
  t.strictSame(await send(app, 'application/json', '{'), [200, { value: 'mine' }])
})

t.test('formats and limits that cannot work are refused at boot', async (t) => {
  const boot = async (config: object): Promise<string> => {
    const app = openTestApp({ change: (bundle) => ({ ...bundle, config }) })
    return app.then(
      async (opened) => {
        await opened.close()
        return 'it starts'
      },
      (error: Error) => error.message,
    )
  }
  const refused: readonly (readonly [object, string])[] = [
    [{ parsers: { 'Text/CSV': () => 1 } }, "config.parsers['Text/CSV'] must be named with a media type"],
    [{ parsers: { csv: () => 1 } }, "config.parsers['csv'] must be named with a media type"],
    [{ responders: { 'text/csv': 'no' } }, "config.responders['text/csv'] must be a function"],
    [{ responders: { 'text/*': () => 1 } }, "config.responders['text/*'] must be named"],
    [{ responders: 3 }, 'config.responders must be an object'],
    [{ limits: { files: -1 } }, 'config.limits.files must be a whole number from 0'],
    [{ limits: { fileBytes: 0 } }, 'config.limits.fileBytes must be a positive number'],
    [{ limits: { fileSize: 1 } }, 'config.limits has no setting fileSize'],
  ]
  for (const [config, message] of refused) t.match(await boot(config), message)
})
