/** A stranger's application with long lists, texts and files: whoever follows the hints gets all of it. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import t, { type Test } from 'tap'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { builtFolder } from '../../support/linked.ts'
import { callTool, openShop, type Shop } from '../support/shop.ts'
import { type Era, message, rpc } from '../support/support.ts'

const rows = `import { Controller, type Int32 } from 'acmcp'

/** One row. */
export interface Row {
  readonly id: Int32
  readonly text: string
}

const all: readonly Row[] = Array.from({ length: 230 }, (_, id) => ({ id, text: 'row '.repeat(1 + (id % 7)) }))

/** @minimum 1 */
type PageNumber = Int32

/**
 * Rows of an archive.
 *
 * @base /rows
 * @mcp budget 1500
 */
export class Rows extends Controller {
  /**
   * Lists rows from an offset on.
   *
   * @get /
   * @mcp paging offset=offset limit=limit
   * @param offset - how many come before the first
   * @param limit - how many at most
   */
  index(offset: Int32 = 0, limit: Int32 = 20): Row[] { return all.slice(offset, offset + limit) }

  /**
   * Lists rows by pages.
   *
   * @get /pages
   * @mcp paging page=page limit=perPage
   * @mcp root
   * @param page - from 1 on
   * @param perPage - how many on a page
   */
  pages(page: PageNumber = 1, perPage: Int32 = 60): { items: Row[]; total: Int32 } {
    return { items: all.slice((page - 1) * perPage, page * perPage), total: all.length }
  }

  /**
   * Lists rows after one.
   *
   * @get /after
   * @param cursor - where the page before ended
   * @param size - how many at most
   */
  after(cursor?: string, size: Int32 = 60): { data: Row[]; nextCursor: string | null } {
    const start = cursor === undefined ? 0 : Number(cursor)
    const end = start + size
    return { data: all.slice(start, end), nextCursor: end < all.length ? String(end) : null }
  }

  /**
   * Lists rows, and says in a header where the next are.
   *
   * @get /linked
   * @param from - the first
   * @param even - whether to list the even ones alone
   */
  linked(from: Int32 = 0, even = false): Row[] {
    const shown = all.filter(({ id }) => id >= from && (!even || id % 2 === 0)).slice(0, 10)
    const next = (shown.at(-1)?.id ?? 0) + 1
    if (shown.length === 10) this.response.set('link', \`</rows/linked?from=\${next}&even=\${even}>; rel="next"\`)
    return shown
  }

  /**
   * Finds rows by a query that is no address.
   *
   * @post /search
   * @mcp readOnly
   * @mcp budget 3000
   * @mcp paging cursor=since next=last.id
   * @param word - what they have
   * @param since - the last of the page before
   */
  search(word: string, since?: Int32): { found: Row[]; last: { id: Int32 } | null } {
    const found = all.filter(({ id, text }) => id > (since ?? -1) && text.includes(word)).slice(0, 25)
    const last = found.at(-1)
    return { found, last: found.length < 25 || last === undefined ? null : { id: last.id } }
  }
}
`

const files = `import { Controller } from 'acmcp'

/**
 * Files of an archive.
 *
 * @base /files
 */
export class Files extends Controller {
  /**
   * Reads a log.
   *
   * @get /logs/:name
   * @mcp resource uri=logs://{name}
   * @mcp budget 1000
   * @produces text/plain
   * @param name - which one
   */
  log(name: string): string { return Array.from({ length: 300 }, (_, line) => \`\${name} \${line}\\n\`).join('') }

  /**
   * Draws a picture.
   *
   * @get /picture
   * @mcp resource uri=files://picture
   * @produces image/png
   * @param bytes - how large
   */
  picture(bytes = 10): Uint8Array { return new Uint8Array(bytes) }
}
`

const bundle = await loadBundle(
  await builtFolder({
    'package.json': '{"name":"archive","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': `import { defineApp } from 'acmcp'
export const config = defineApp({ mcp: { path: '/mcp', serverName: 'Archive', answerBytes: 5000 } })
`,
    'app/controllers/rows.ts': rows,
    'app/controllers/files.ts': files,
  }),
)

const hooked = async (app: { addHook(name: string, hook: () => Promise<void>): void }): Promise<void> => {
  app.addHook('onRequest', async () => {})
}

interface Row {
  readonly id: number
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
const listIn = (answer: any): readonly Row[] => answer.items ?? answer.data ?? answer.found ?? answer

/** Follows the hints to the end: the ids in the order in which they came, and how many calls that took. */
async function follow(shop: Shop, era: Era, name: string, args: object) {
  const ids: number[] = []
  let next: { readonly name: string; readonly args: object } | null = { name, args }
  let calls = 0
  while (next !== null && calls < 100) {
    calls += 1
    const { answer } = await callTool(shop, next.name, next.args, { era })
    const { content, structuredContent, isError } = answer.result
    const isCut = content[1]?.text.startsWith('The call was done, and only its answer is too long: ') ?? false
    if (isCut !== (isError ?? false) || isCut !== (structuredContent === undefined))
      throw new Error(JSON.stringify(answer))
    if (content[0].text.length > 3000) throw new Error(JSON.stringify(answer))
    ids.push(...listIn(JSON.parse(content[0].text)).map(({ id }) => id))
    const [, tool = '', json = ''] = /call (\w+) with (\{.*\})\.$/.exec(content[1]?.text ?? '') ?? []
    if (content.length > 1 && tool === '') throw new Error(content[1].text)
    next = tool === '' ? null : { name: tool, args: JSON.parse(json) }
  }
  return { ids, calls }
}

const everything = Array.from({ length: 230 }, (_, id) => id)
const evens = everything.filter((id) => id % 2 === 0)

t.test('following the hints leads through every item, behind plugins too', async (t) => {
  const ways = [
    [{}, 'modern'],
    [{}, 'legacy'],
    [{ plugins: [hooked] }, 'modern'],
  ] as const
  for (const [config, era] of ways) {
    const shop = await openShop(t, bundle, { config })
    const all = (name: string, args: object = {}) => follow(shop, era, name, args)
    t.strictSame(await all('rows_index'), { ids: everything, calls: 12 }, 'offset')
    t.strictSame((await all('rows_index', { limit: 100 })).ids, everything, 'offset, cut')
    t.strictSame((await all('rows_pages', { perPage: 10 })).ids, everything, 'pages')
    t.strictSame((await all('rows_after', { size: 10 })).ids, everything, 'cursor')
    t.strictSame(await all('rows_linked', { even: true }), { ids: evens, calls: 12 }, 'header')
    t.strictSame((await all('rows_search', { word: 'row' })).ids, everything, 'told by its author')
    t.strictSame(
      await all('call_read_only', { name: 'rows_index', arguments: { limit: 10, offset: 205 } }),
      { ids: everything.slice(205), calls: 3 },
      'by the proxy',
    )
  }
})

/** The client of the official SDK, without sockets. */
async function sdkClient(t: Test, { app }: Shop, mode: 'auto' | 'legacy'): Promise<Client> {
  const client = new Client({ name: 'sdk', version: '1' }, { versionNegotiation: { mode } })
  const fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    if (init.method === 'GET') return new Response(null, { status: 405 }) // it wants a stream of its own
    const { statusCode, body, headers } = await app.client().request({
      method: 'POST',
      url: new URL(url).pathname,
      headers: Object.fromEntries(new Headers(init.headers)),
      payload: String(init.body),
    })
    const type = String(headers['content-type'] ?? '')
    return new Response(body === '' ? null : body, { status: statusCode, headers: { 'content-type': type } })
  }
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }))
  t.teardown(() => client.close())
  return client
}

t.test('the official client takes a cut answer, also where it knows the output schema', async (t) => {
  const shop = await openShop(t, bundle)
  for (const mode of ['auto', 'legacy'] as const) {
    const client = await sdkClient(t, shop, mode)
    await client.listTools()
    const { structuredContent } = await client.callTool({ name: 'open_toolbox', arguments: { name: 'rows' } })
    const tools: readonly Parameters<Client['callTool']>[1][] = Object(structuredContent).tools
    for (const tool of tools) {
      const { name } = Object(tool)
      const params = { name, arguments: name === 'rows_search' ? { word: 'row' } : {} }
      const said = await client.callTool(params, { toolDefinition: Object(tool) })
      const isCut = name === 'rows_after' || name === 'rows_pages'
      t.strictSame(
        [said.isError, said.structuredContent === undefined],
        isCut ? [true, true] : [undefined, false],
      )
    }
    const after = await client.callTool({ name: 'rows_after', arguments: {} })
    t.equal(
      Object(after.content)[1].text,
      'The call was done, and only its answer is too long: the first 41 of 60 items are shown; ask for less, or read all of it at http://localhost:3000/rows/after; for what comes after all of it call rows_after with {"cursor":"60"}.',
    )
  }
})

const ask = async ({ app }: Shop, method: string, params: object) => {
  const sent = message('modern', method, { ...params })
  const response = await app.client().request({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...sent.headers,
      'mcp-name': String(Object(params).uri),
    },
    payload: JSON.stringify(sent.message),
  })
  return rpc({ status: response.statusCode, headers: {}, text: response.body })
}

t.test('a text is cut at a line, and the resource has the whole of it', async (t) => {
  const shop = await openShop(t, bundle)
  const { answer } = await callTool(shop, 'files_log', { name: 'a' })
  const whole = Array.from({ length: 300 }, (_, line) => `a ${line}\n`).join('')
  const shown = whole.slice(0, 1000)
  t.ok(shown.endsWith('\n'))
  t.strictSame(answer.result.content, [
    { type: 'text', text: shown },
    {
      type: 'text',
      text: 'The first 1000 of 1690 characters are shown; ask for less, or read all of it as the resource logs://a.',
    },
  ])
  const read = await ask(shop, 'resources/read', { uri: 'logs://a' })
  t.equal(read.result.contents[0].text, whole, 'what is read is never cut')
})

t.test('bytes above mcp.answerBytes are a link; as a resource they are an error', async (t) => {
  const small = await openShop(t, bundle)
  const { answer } = await callTool(small, 'files_picture', { bytes: 5001 })
  const [note, link] = answer.result.content
  const { uri } = link
  t.match(uri, /^https?:\/\/[^/]+\/files\/picture\?bytes=5001$/)
  t.strictSame(
    [note.text, link],
    [
      `The answer (5001 bytes of image/png) is too large and was left out; ask for less, or read all of it at ${uri}.`,
      { type: 'resource_link', uri, name: 'files_picture', mimeType: 'image/png', size: 5001 },
    ],
  )
  t.equal((await callTool(small, 'files_picture')).answer.result.content[0].type, 'image')
  const tiny = await openShop(t, bundle, { config: { mcp: { path: '/mcp', answerBytes: 9 } } })
  const { error } = await ask(tiny, 'resources/read', { uri: 'files://picture' })
  t.strictSame(
    [error.code, error.message],
    [413, '413 Payload Too Large\nlarger than the 9 bytes that are sent at once'],
  )
})
