/** Answers of all media types: over HTTP the bytes that the method gave, for a model what it can read, and openapi.yml says which. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { strictSettings } from '../../cli/support/built-app.ts'
import { builtFolder } from '../../support/linked.ts'
import { callTool, openShop } from '../support/shop.ts'

/** What a route returns: its type, and how it makes that of the body. */
const forms = {
  string: (hex: string) => `Buffer.from('${hex}', 'hex').toString()`,
  Uint8Array: (hex: string) => `Uint8Array.from(Buffer.from('${hex}', 'hex'))`,
  Buffer: (hex: string) => `Buffer.from('${hex}', 'hex')`,
  'string | Buffer': (hex: string) => `Buffer.from('${hex}', 'hex')`,
  Readable: (hex: string) => `Readable.from([Buffer.from('${hex}', 'hex')])`,
  Blob: (hex: string, type: string) => `new Blob([Buffer.from('${hex}', 'hex')], { type: '${type}' })`,
  Rendered: (hex: string, contentType: string) =>
    `this.render({ body: Buffer.from('${hex}', 'hex').toString(), contentType: '${contentType}' })`,
  '{ a: number }': () => '{ a: 1 }',
  number: () => '4',
  void: () => 'undefined',
} as const

/** The type that is produced, or that the value has itself; what is returned, made of a text or bytes; what a model gets: `text`, or the
 *  type of a block; what openapi.yml says; the type that HTTP says, if that is another one. */
type Row = readonly [string, keyof typeof forms, string | Buffer, string, string, string?]

const bytes = Buffer.of(1, 2)
const latin = 'text/plain; charset=iso-8859-1'
const utf8 = (type: string): string => `${type}; charset=utf-8`

const rows: readonly Row[] = [
  ['image/svg+xml', 'string', '<svg/>', 'text', 'string'],
  ['image/svg+xml', 'Uint8Array', '<svg/>', 'text', 'binary'],
  ['image/svg+xml', 'Readable', '<svg/>', 'text', 'binary'],
  ['image/svg+xml', 'Blob', '<svg/>', 'text', '*/* binary'],
  ['image/svg+xml', 'Rendered', '<svg/>', 'text', ''],
  ['image/png', 'Uint8Array', bytes, 'image/png', 'binary'],
  ['Image/PNG;x=1', 'Buffer', bytes, 'image/png', 'binary'],
  ['image/jpeg', 'Buffer', bytes, 'image/jpeg', 'binary'],
  ['image/gif', 'Readable', bytes, 'image/gif', 'binary'],
  ['image/webp', 'Blob', bytes, 'image/webp', '*/* binary'],
  ['image/avif', 'Buffer', bytes, 'resource image/avif', 'binary'],
  ['image/tiff', 'Blob', bytes, 'resource image/tiff', '*/* binary'],
  ['image/bmp', 'Readable', bytes, 'resource image/bmp', 'binary'],
  ['audio/wav', 'Buffer', bytes, 'audio/wav', 'binary'],
  ['application/pdf', 'Buffer', bytes, 'resource application/pdf', 'binary'],
  ['text/plain', 'Uint8Array', 'é', 'text', 'binary', utf8('text/plain')],
  ['text/plain', 'string | Buffer', 'é', 'text', 'string or binary', utf8('text/plain')],
  ['text/plain', 'string', 'é', 'text', 'string', utf8('text/plain')],
  ['text/plain', 'number', '4', 'text', 'string', utf8('text/plain')],
  ['text/plain', '{ a: number }', '{"a":1}', 'text', 'string', utf8('text/plain')],
  ['text/csv', 'Buffer', 'a,b', 'text', 'binary', utf8('text/csv')],
  ['text/html', 'Buffer', '<p>', 'text', 'binary', utf8('text/html')],
  ['application/yaml', 'Uint8Array', 'a: 1', 'text', 'binary', utf8('application/yaml')],
  ['application/yaml', 'Readable', 'a: 1', 'text', 'binary', utf8('application/yaml')],
  ['application/yaml', '{ a: number }', 'a: 1\n', 'text', 'object', utf8('application/yaml')],
  ['text/yaml; charset=UTF-8', 'Buffer', 'a: 1', 'text', 'binary'],
  ['application/vnd.oai.openapi+yaml', 'Buffer', 'a: 1', 'text', 'binary'],
  ['application/xml', 'Buffer', '<a/>', 'text', 'binary'],
  ['model/x3d+xml', 'Blob', '<a/>', 'text', '*/* binary'],
  ['application/javascript', 'Buffer', 'a()', 'text', 'binary'],
  ['application/x-ndjson', 'Buffer', '1\n2', 'text', 'binary'],
  ['application/toml', 'string', 'a = 1', 'text', 'string'],
  ['application/graphql', 'string', '{ a }', 'text', 'string'],
  ['application/problem+json', 'Buffer', '{"a":1}', 'json', 'any'],
  ['application/geo+json', '{ a: number }', '{"a":1}', 'json', 'object', utf8('application/geo+json')],
  [latin, 'Buffer', Buffer.from('é', 'latin1'), 'text é', 'binary'],
  ['text/csv; charset="Latin1"', 'Readable', Buffer.from('é', 'latin1'), 'text é', 'binary'],
  ['text/csv; charset=utf-16le', 'Buffer', Buffer.from('é', 'utf16le'), 'text é', 'binary'],
  ['text/csv; charset=own', 'Buffer', 'é', 'text', 'binary'],
  ['text/csv; charset=own', 'string', 'é', 'text', 'string', utf8('text/csv')],
  [latin, 'string', 'é€', 'text', 'string', utf8('text/plain')],
  [latin, 'Rendered', 'é€', 'text', '', utf8('text/plain')],
  ['text/plain', 'Buffer', Buffer.of(0x61, 0xff), 'text a\ufffd', 'binary', utf8('text/plain')],
  ['text/plain', 'Buffer', '', 'text 200 OK', 'binary', utf8('text/plain')],
  ['image/png', 'Uint8Array', '', 'text 200 OK', 'binary'],
  ['text/csv', 'void', '', 'text 200 OK', '', 'undefined'],
]

const ownType = new Set<Row[1]>(['Blob', 'Rendered'])

const routeOf = ([type, form, body]: Row, place: number): string => `  /**
   * Gives what is at ${place}.
   *
   * @get /${place}
   * ${ownType.has(form) ? '@mcp readOnly' : `@produces ${type}`}
   */
  m${place}(): ${form} { return ${forms[form](Buffer.from(body).toString('hex'), type)} }
`

const folder = await builtFolder({
  'package.json': '{"name":"media","version":"1.0.0","private":true,"type":"module"}',
  'tsconfig.json': strictSettings,
  'app/config.ts': `import { defineApp } from 'acmcp'
export const config = defineApp({ mcp: { path: '/mcp', serverName: 'Media' } })
`,
  'app/controllers/media.ts': `import { Readable } from 'node:stream'
import { Controller, type Rendered } from 'acmcp'

/**
 * Media.
 *
 * @base /m
 */
export class Media extends Controller {
${rows.map(routeOf).join('\n')}
  /**
   * Gives a Latin text, encoded.
   *
   * @get /encoded
   * @mcp resource
   * @produces ${latin}
   */
  encoded(): string { return 'é' }

  /**
   * Gives bytes to whom JSON is the default.
   *
   * @get /negotiated
   */
  negotiated(): Buffer { return Buffer.from('é') }
}
`,
})
const bundle = await loadBundle(folder)
const { paths } = parse(readFileSync(join(folder, 'generated/openapi.yml'), 'utf8'))
const hooked = async (app: { addHook(name: string, hook: () => Promise<void>): void }): Promise<void> => {
  app.addHook('onRequest', async () => {})
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Any = any

/** A schema in a word. */
const word = (schema: Any): string => {
  if (schema.anyOf !== undefined) return schema.anyOf.map(word).join(' or ')
  return schema.contentEncoding ?? schema.format ?? schema.type ?? 'any'
}

/** What openapi.yml says of the body of a route. */
const documented = (path: string, produced: string): string =>
  Object.entries(paths[`/m/${path}`].get.responses['200'].content ?? {})
    .map(([type, { schema }]: Any) => (type === produced ? word(schema) : `${type} ${word(schema)}`))
    .join(', ')

function shown({ content, structuredContent }: Any): string {
  const [{ type, text, mimeType, data, resource }] = content
  if (structuredContent !== undefined) return `json ${text}`
  if (type === 'text') return `text ${text}`
  if (type === 'resource') return `resource ${resource.mimeType} ${resource.blob}`
  return type === mimeType.split('/')[0] ? `${mimeType} ${data}` : type
}

/** The same where the row says no text of its own. */
function expected([, , body, model]: Row): string {
  if (model === 'text' || model === 'json') return `${model} ${body}`
  return model.startsWith('text ') ? model : `${model} ${Buffer.from(body).toString('base64')}`
}

t.test('what is no JSON arrives as it is, over HTTP and in a tool call, and is documented so', async (t) => {
  for (const config of [{}, { plugins: [hooked] }]) {
    const shop = await openShop(t, bundle, { config })
    const client = shop.app.client()
    for (const [place, row] of rows.entries()) {
      const [type, , body, , inDocument, said = type] = row
      const url = `/m/${place}`
      const { headers, rawPayload } = await client.get(url)
      const { answer } = await callTool(shop, `media_m${place}`)
      t.strictSame(
        [
          String(headers['content-type']),
          rawPayload.toString('latin1'),
          shown(answer.result),
          documented(`${place}`, type),
        ],
        [said, Buffer.from(body).toString('latin1'), expected(row), inDocument],
        row.slice(0, 2).join(' '),
      )
      const head = await client.request({ method: 'HEAD', url })
      const length = Number(head.headers['content-length'] ?? rawPayload.length)
      t.strictSame(
        [String(head.headers['content-type']), length, head.body],
        [said, rawPayload.length, ''],
        url,
      )
    }
  }
})

t.test('no output schema where the answer is no JSON', async (t) => {
  const shop = await openShop(t, bundle)
  const { answer } = await callTool(shop, 'open_toolbox', { name: 'media' })
  const promised = answer.result.structuredContent.tools.filter(
    ({ outputSchema }: Any) => outputSchema !== undefined,
  )
  const json = rows.findIndex(([type, form]) => type.endsWith('geo+json') && form.startsWith('{'))
  t.strictSame(
    promised.map(({ name, outputSchema }: Any) => [name, word(outputSchema)]),
    [
      [`media_m${json}`, 'object'],
      ['media_negotiated', 'base64'],
    ],
  )
  const yml = readFileSync(join(folder, 'generated/mcp.yml'), 'utf8')
  t.equal(yml.match(/answerFingerprint/g)?.length, promised.length)
})

t.test('a text in Latin-1, and bytes that are negotiated', async (t) => {
  const shop = await openShop(t, bundle)
  const client = shop.app.client()
  const get = async (path: string, accept = '*/*'): Promise<unknown> => {
    const { headers, rawPayload } = await client.get(`/m/${path}`, { accept })
    return [headers['content-type'], rawPayload.toString('latin1')]
  }
  t.strictSame(await get('encoded'), [latin, '\xe9'])
  t.equal(shown((await callTool(shop, 'media_encoded')).answer.result), 'text é')
  t.strictSame(await get('negotiated'), [utf8('application/json'), '"w6k="'])
  t.strictSame(await get('negotiated', 'text/plain'), [utf8('text/plain'), 'w6k='])
  t.equal(documented('negotiated', 'application/json'), 'base64')
})
