/** A tool call is JSON: what a client sent arrives as it converts, whatever the verb, with plugins or without, by name or behind `call_tool`.
 *  Source: decisions/mcp.md, Arguments; decisions/http.md, Parameters and decoders. */
import t from 'tap'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { openTestApp, type TestClient } from '../../../runtime/testing.ts'
import { built, folderOf } from '../../cli/support/built-app.ts'

t.setTimeout(240_000)

const root = folderOf(t, {
  'app/config.ts':
    "import { defineApp } from 'acmcp'\nexport const config = defineApp({ mcp: { path: '/mcp' } })\n",
  'app/controllers/told.ts': `import { ApplicationController, type Body, type Header, type Int32 } from 'acmcp'

export interface Card { card: string; code: string }
export interface Part { sku: string; isPublic?: boolean; size?: Int32; note?: string | null }
export interface Thing { name: string; isPublic?: boolean; parts?: Part[]; by?: Map<string, Part> }
export interface Tree { child?: Tree }

const shown = (...values: unknown[]): string =>
  JSON.stringify(values, (_name, item) => (item === undefined ? 'absent' : item instanceof Map ? [...item] : item))

/** Says what its methods got. */
export class Told extends ApplicationController {
  /** @filter before only=seen */
  notice(): void {
    const { query, headers } = this.request
    this.response.set('x-seen', JSON.stringify([query.toString(), headers['x-tags'] ?? null]))
    if (query.has('changed')) query.set('q', 'by a filter')
  }

  /**
   * Removes.
   *
   * @delete /ids
   */
  ids(ids: string | string[]): string { return shown(ids) }
  /**
   * Reads numbers.
   *
   * @get /numbers
   */
  numbers(ids?: Int32 | Int32[]): string { return shown(ids) }
  /**
   * Reads a point.
   *
   * @get /point
   */
  point(at: [number, number], by?: { at: [number, string?] }): string { return shown(at, by) }
  /**
   * Reads what is mixed.
   *
   * @get /mixed
   */
  mixed(items: (number | string)[], some?: (string | null)[], any?: unknown[], one?: unknown, flag?: boolean | string, nothing?: string | null): string {
    return shown(items, some, any, one, flag, nothing)
  }
  /**
   * Reads path and header.
   *
   * @get /of/:id
   * @mcp show
   */
  of(id: Int32 | 'all', tags?: Header<'X-Tags', string[]>): string { return shown(id, tags) }
  /**
   * Is seen by a filter.
   *
   * @get /seen
   * @mcp show
   */
  seen(q: string, changed?: boolean, tags?: Header<'X-Tags', string[]>): string { return shown(q, changed, tags) }
  /**
   * Reads a rest.
   *
   * @get /rest/*:path
   */
  rest(path: string): string { return shown(path) }
  /**
   * Finds.
   *
   * @get /find
   */
  find(q?: string, size: Int32 = 5, where?: Part): string { return shown(q, size, where) }
  /**
   * Adds.
   *
   * @post /add
   */
  add(q?: string, size: Int32 = 5, where?: Part): string { return shown(q, size, where) }
  /**
   * Makes.
   *
   * @post /things
   */
  make(thing: Body<Thing>, dry?: boolean): string { return shown(thing, dry) }
  /**
   * Pays.
   *
   * @post /pay
   */
  pay(by: { card: string; code: string } | { iban: string }, many?: (Card | { iban: string })[]): string { return shown(by, many) }
  /**
   * Keeps.
   *
   * @post /keep
   */
  keep(data: unknown, text?: string, tree?: Tree): string {
    const got = shown(data, text, tree)
    if (Array.isArray(data)) data.push('changed')
    const { body } = this.request
    return body.kind === 'value' ? got + JSON.stringify(Object(body.value).data) : got
  }
}
`,
})

const { status } = await built(root)
if (status !== 0) throw new Error('the application does not build')

async function clientOf(plugins: readonly AppPlugin[]): Promise<TestClient> {
  const change = (bundle: AppBundle): AppBundle => ({
    ...bundle,
    config: { ...Object(bundle.config), plugins },
  })
  const app = await openTestApp({ cwd: root, change })
  t.teardown(app.close)
  return app.client()
}

const hookless = await clientOf([])
const clients = [hookless, await clientOf([async () => {}])]

/** What the method got, or the error of what it would not take. */
async function outcome(client: TestClient, name: string, args: object, by?: 'call_tool'): Promise<unknown> {
  const tool = `told_${name}`
  const { content, isError } = await (by === undefined
    ? client.tool(tool, { ...args })
    : client.tool(by, { name: tool, arguments: args }))
  const [, second = content[0]?.text ?? ''] = (content[0]?.text ?? '').split('\n')
  return isError === true ? Object(JSON.parse(second)).error : JSON.parse(second)
}

const deep = (open: string, close: string, inner = ''): unknown =>
  JSON.parse(open.repeat(1000) + inner + close.repeat(1000))
const absent = 'absent'
const invalid = (name: string, why: string): string => `invalid parameter value for '${name}': ${why}`

const cases: readonly (readonly [tool: string, args: object, got: unknown])[] = [
  ['ids', { ids: ['a', 'b'] }, '[["a","b"]]'],
  ['ids', { ids: ['a'] }, '[["a"]]'],
  ['ids', { ids: [] }, '[[]]'],
  ['ids', { ids: 'a,b' }, '["a,b"]'],
  ['ids', { ids: '["a"]' }, '["[\\"a\\"]"]'],
  ['numbers', { ids: [1, 2] }, '[[1,2]]'],
  ['numbers', { ids: 1 }, '[1]'],
  ['numbers', { ids: null }, `["${absent}"]`],
  ['numbers', { ids: ['1'] }, invalid('ids.0', 'expected Int32, got text')],
  ['numbers', { ids: '1' }, invalid('ids', 'expected Int32[] | Int32, got text')],
  ['point', { at: [1, 2] }, `[[1,2],"${absent}"]`],
  ['point', { at: [1, 2], by: { at: [1, 'a'] } }, '[[1,2],{"at":[1,"a"]}]'],
  [
    'mixed',
    {
      items: [1, '2'],
      some: ['a', null],
      any: [1, null, { a: 1 }],
      one: { a: [1] },
      flag: true,
      nothing: null,
    },
    '[[1,"2"],["a",null],[1,null,{"a":1}],{"a":[1]},true,null]',
  ],
  [
    'mixed',
    { items: [], some: [null], one: '1', flag: 'true' },
    `[[],[null],"${absent}","1","true","${absent}"]`,
  ],
  ['of', { id: 1, x_tags: ['a,b', 'ü\n'] }, '[1,["a,b","ü\\n"]]'],
  ['of', { id: 'all', x_tags: null }, `["all","${absent}"]`],
  ['of', { id: '1' }, invalid('id', 'expected "all" | Int32, got text')],
  ...['a/b', 'a/b/', 'a//b', '/a', '/', 'a b?c=d#e%2F', 'ü\\'].map(
    (path) => ['rest', { path }, JSON.stringify([path])] as const,
  ),
  ['rest', { path: '' }, "missing required parameter 'path'"],
  ['seen', { q: 'a', x_tags: ['b'] }, `["a","${absent}",["b"]]`],
  ['seen', { q: 'a', changed: true }, `["by a filter",true,"${absent}"]`],
  // null, for what is optional and has no null
  ...['find', 'add'].flatMap((tool) => [
    [
      tool,
      { q: null, size: null, where: { sku: 'a', isPublic: null, size: null, note: null } },
      `["${absent}",5,{"sku":"a","note":null}]`,
    ] as const,
    [tool, { where: { sku: null } }, invalid('where.sku', 'expected string, got null')] as const,
    [
      tool,
      { where: { sku: 'a', is_public: true } },
      invalid('where.is_public', 'unknown property, did you mean: isPublic'),
    ] as const,
  ]),
  [
    'make',
    { thing: { name: 'a', isPublic: null, parts: [{ sku: 'a', size: null }] }, dry: null },
    `[{"name":"a","parts":[{"sku":"a"}]},"${absent}"]`,
  ],
  [
    'make',
    { thing: { isPublik: true, parts: [{ sku: 'a', siz: 1 }], by: { x: { sku: 'a', zzzzzz: 1 } } } },
    [
      "invalid parameter value for 'isPublik' in the body 'thing': unknown property, did you mean: isPublic",
      "missing required parameter 'name' in the body 'thing' (string)",
      "invalid parameter value for 'parts.0.siz' in the body 'thing': unknown property, did you mean: size, sku",
      "invalid parameter value for 'by.x.zzzzzz' in the body 'thing': unknown property",
    ].join('; '),
  ],
  // of a union without a tag the member that the value is most like
  ['pay', { by: { card: 'a' } }, "missing required parameter 'by.code'"],
  ['pay', { by: { card: 'a', cod: 'b' } }, invalid('by.cod', 'unknown property, did you mean: code, card')],
  ['pay', { by: {} }, invalid('by', 'must have card and code, or iban, got object')],
  ['pay', { by: { iban: 'a' }, many: [{ card: 'a' }] }, "missing required parameter 'many.0.code'"],
  ['pay', { by: { iban: 'a' }, many: [{ iban: 1 }] }, invalid('many.0.iban', 'expected string, got 1')],
  // what the reason is
  ['keep', { data: 'a\0' }, invalid('data', 'must not contain the character U+0000')],
  ['keep', { data: 1, text: 'a\ud83d' }, invalid('text', 'must not contain half a character (U+D83D)')],
  ['keep', { data: { a: ['\udc00'] } }, invalid('data.a.0', 'must not contain half a character (U+DC00)')],
  ['keep', { data: { 'a\0': 1 } }, invalid('data', 'must not contain the character U+0000')],
  ['keep', { data: JSON.parse('{"__proto__":1}') }, invalid('data', "must not have the name '__proto__'")],
  ['keep', { data: deep('[', ']') }, invalid('data', 'nested deeper than 500 levels')],
  ['keep', { data: 1, tree: deep('{"child":', '}', '{}') }, invalid('tree', 'nested deeper than 500 levels')],
]

t.test('the arguments of a tool arrive as the JSON that was sent', async (t) => {
  for (const [tool, args, got] of cases) {
    const title = `${tool} ${JSON.stringify(args).slice(0, 100)}`
    for (const client of clients) t.strictSame(await outcome(client, tool, args), got, title)
    t.strictSame(await outcome(hookless, tool, args, 'call_tool'), got, title)
  }
})

t.test('a method gets a copy of what has no type: what it changes is its own', async (t) => {
  for (const client of clients) {
    const { content } = await client.tool('told_keep', { data: [1, { a: 1 }] })
    t.equal(JSON.parse(content[0]?.text ?? ''), `[[1,{"a":1}],"${absent}","${absent}"][1,{"a":1}]`)
  }
})

t.test(
  'over HTTP a repeated name is a list where one may stand, and the rules of a body are as they were',
  async (t) => {
    const sent: readonly (readonly [
      method: 'GET' | 'DELETE' | 'POST',
      url: string,
      payload: object | null,
      got: unknown,
    ])[] = [
      ['DELETE', '/ids?ids=a&ids=b', null, '[["a","b"]]'],
      ['DELETE', '/ids?ids=a', null, '["a"]'],
      ['DELETE', '/ids?ids=a,b', null, '["a,b"]'],
      ['DELETE', '/ids?ids=[a', null, '["[a"]'],
      ['DELETE', '/ids?ids=["a"]', null, '[["a"]]'],
      ['GET', '/numbers?ids=1&ids=2', null, '[[1,2]]'],
      ['GET', '/numbers?ids=1,2', null, '[[1,2]]'],
      ['GET', '/numbers?ids=1', null, '[1]'],
      ['GET', '/numbers?ids=1&ids=x', null, invalid('ids.1', 'expected Int32, got text')],
      ['GET', '/point?at=[1,2]', null, `[[1,2],"${absent}"]`],
      ['POST', '/add', { size: null }, invalid('size', 'expected Int32, got null')],
      ['POST', '/add', { where: { sku: 'a', is_public: 1 } }, `["${absent}",5,{"sku":"a"}]`],
      ['POST', '/pay', { by: { card: 'a' } }, "missing required parameter 'by.code'"],
    ]
    for (const [method, url, payload, got] of sent) {
      const answer = await hookless.request({
        method,
        url: `/told${url}`,
        ...(payload === null ? {} : { payload }),
      })
      const body = answer.json()
      t.strictSame(answer.statusCode < 400 ? body : Object(body).error, got, `${method} ${url}`)
    }
  },
)
