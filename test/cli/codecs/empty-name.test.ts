/** A property whose name is the empty text is one like any other: over HTTP, in a tool's input and call, and in the client. */
import t from 'tap'
import { serveWithClient } from '../client/served-client.ts'

t.setTimeout(60_000)

const files = {
  'package.json': '{"name":"odd","version":"1.0.0","type":"module"}',
  'app/config.ts': `import { defineApp } from 'acmcp'
export const config: object = defineApp({ mcp: { authenticator: () => true } })
`,
  'app/controllers/odd.ts': `import { type Body, Controller, type Named, ParamError } from 'acmcp'
export interface Odd { '': string; a?: number }
export interface Tree { '@type': string; 'a.b'?: Record<string, Tree>; of?: [Tree, string] | { '$of': Tree }[] }
export type Kind = { '': 'x'; x: number } | { '': 'y'; y: number }
/** Odd names. */
export class Odds extends Controller {
  /**
   * Says what does not fit.
   *
   * @exception {ParamError} 400
   */
  misfit(error: ParamError): { error: string } { return { error: error.message } }
  /**
   * Takes one as the body.
   *
   * @post /whole
   */
  whole(given: Body<Odd>): Odd { return given }
  /**
   * Takes some as fields.
   *
   * @post /fields
   */
  fields(given: Odd, list: Odd[], kind: Kind): { given: Odd; list: Odd[]; kind: Kind } { return { given, list, kind } }
  /**
   * Finds some.
   *
   * @get /found
   */
  found(ids?: Named<'ids[]', string>, top?: Named<'$top', number>, size?: Named<'größe', 'S' | 'M'>): string {
    return [ids, top, size].join()
  }
  /**
   * Takes a tree.
   *
   * @post /trees
   */
  tree(given: Body<Tree>): Tree { return given }
}
`,
}

const { baseUrl, module, text } = await serveWithClient(t, files)
const fits = { given: { '': 'a' }, list: [{ '': 'b', a: 1 }], kind: { '': 'y', y: 1 } }
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

async function post(path: string, body: unknown): Promise<readonly [number, unknown]> {
  const answer = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return [answer.status, await answer.json()]
}

async function mcp(method: string, params: object): Promise<unknown> {
  const [, answer] = await post('/mcp/odds', { jsonrpc: '2.0', id: 1, method, params })
  return Object(answer).result
}

const refusals: readonly (readonly [body: object, error: string])[] = [
  [{ ...fits, given: {} }, `missing required parameter 'given.""'`],
  [{ ...fits, list: [{ a: 1 }] }, `missing required parameter 'list.0.""'`],
  [{ ...fits, kind: { y: 1 } }, `invalid parameter value for 'kind': "" must be one of "x", "y", got object`],
]

t.test('over HTTP it is required, and named where it is missing', async (t) => {
  t.strictSame(await post('/odds/whole', { '': 'a' }), [200, { '': 'a' }])
  t.strictSame(await post('/odds/fields', fits), [200, fits])
  const whole = await post('/odds/whole', { a: 1 })
  t.strictSame(whole, [400, { error: `missing required parameter '""' in the body 'given'` }])
  for (const [body, error] of refusals) t.strictSame(await post('/odds/fields', body), [400, { error }])
})

t.test('the input of its tool requires it, and so does a call', async (t) => {
  const { tools } = Object(await mcp('tools/list', {}))
  // no client takes an empty name
  const odd = {
    type: 'object',
    properties: { _: { type: 'string' }, a: { type: 'number' } },
    required: ['_'],
    additionalProperties: false,
  }
  t.strictSame(
    tools
      .slice(0, 2)
      .map(({ inputSchema }: { readonly inputSchema: Record<string, unknown> }) => [
        Object(inputSchema.properties).given,
        inputSchema.$defs,
      ]),
    [
      [odd, undefined],
      [odd, undefined],
    ],
  )
  const call = (provided: object): Promise<unknown> =>
    mcp('tools/call', { name: 'odds_whole', arguments: { given: provided } })
  t.match(await call({ _: 'a' }), { structuredContent: { '': 'a' } })
  t.match(await call({}), { isError: true, content: [{ text: /missing required parameter '\\"\\"'/ }] })
})

t.test('the client has it, and does not make it optional', async (t) => {
  t.match(text, `export interface Odd {\n  '': string\n  a?: number\n}`)
  const answer = await module.createClient({ baseUrl }).odds?.fields?.(fits)
  t.strictSame([answer?.status, answer?.data], [200, fits])
})

t.test(
  'a name that clients refuse has another in the tool, which the call gives back at every depth',
  async (t) => {
    const { tools } = Object(await mcp('tools/list', {}))
    t.strictSame(Object.keys(tools[2].inputSchema.properties), ['ids', 'top', 'grosse'])
    const called = async (name: string, args: object): Promise<unknown> => {
      const { content } = Object(await mcp('tools/call', { name, arguments: args }))
      return JSON.parse(content[0].text)
    }
    t.strictSame(await called('odds_found', { ids: 'a', top: 2, grosse: 'M' }), 'a,2,M')
    t.match(await mcp('tools/call', { name: 'odds_found', arguments: { 'ids[]': 'a' } }), {
      isError: true,
      content: [{ text: /unknown argument "ids\[\]", did you mean: ids\n/ }],
    })
    const safe = {
      type: 'x',
      a_b: { a_b: { type: 'y' }, 'ids[]': { type: 'z', of: [{ type: 'v' }, 'a_b'] } },
    }
    const own = {
      '@type': 'x',
      'a.b': { a_b: { '@type': 'y' }, 'ids[]': { '@type': 'z', of: [{ '@type': 'v' }, 'a_b'] } },
    }
    t.strictSame(await called('odds_tree', { given: safe }), own)
    const listed = { type: 'x', of: [{ of: { type: 'y' } }] }
    t.strictSame(await called('odds_tree', { given: listed }), {
      '@type': 'x',
      of: [{ $of: { '@type': 'y' } }],
    })
  },
)
