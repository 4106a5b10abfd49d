/** A property whose name is the empty text is one like any other: over HTTP, in a tool's input and call, and in the client. */
import t from 'tap'
import { serveWithClient } from '../client/served-client.ts'

t.setTimeout(60_000)

const files = {
  'package.json': '{"name":"odd","version":"1.0.0","type":"module"}',
  'app/config.ts': `import { defineApp } from 'acmcp'
export const config: object = defineApp({ mcp: { authenticator: () => true } })
`,
  'app/controllers/odd.ts': `import { type Body, Controller, ParamError } from 'acmcp'
export interface Odd { '': string; a?: number }
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
  const odd = {
    type: 'object',
    properties: { '': { type: 'string' }, a: { type: 'number' } },
    required: [''],
    additionalProperties: false,
  }
  t.strictSame(
    tools.map(
      ({ inputSchema }: { readonly inputSchema: Record<string, unknown> }) => Object(inputSchema.$defs).Odd,
    ),
    [odd, odd],
  )
  const call = (provided: object): Promise<unknown> =>
    mcp('tools/call', { name: 'odds_whole', arguments: { given: provided } })
  t.match(await call({ '': 'a' }), { structuredContent: { '': 'a' } })
  t.match(await call({}), { isError: true, content: [{ text: /missing required parameter '\\"\\"'/ }] })
})

t.test('the client has it, and does not make it optional', async (t) => {
  t.match(text, `export interface Odd {\n  '': string\n  a?: number\n}`)
  const answer = await module.createClient({ baseUrl }).odds?.fields?.(fits)
  t.strictSame([answer?.status, answer?.data], [200, fits])
})
