/** Which arguments the address of a resource has, and that no address makes the server think long. Source: RFC 6570. */
import t from 'tap'
import type { Catalogue, TextArgument } from '../../../runtime/contract/mcp.ts'
import { type App, catalogue, json, message, rpc, serve } from '../support/support.ts'

const argument = (name: string): TextArgument => ({
  ...{ argument: name, from: 'query', name, description: '', required: true, values: null, completion: null },
})

/** An endpoint with that resource alone, which answers with its arguments. */
function serveTemplate(uri: string): App {
  const names = [...uri.matchAll(/\w+(?=\})/g)].map(([name]) => name)
  const resource = {
    ...{ name: 'one', route: 'notes_index', uri, toolbox: 'notes', title: null, description: 'Reads.' },
    ...{ mimeType: null, arguments: names.map(argument) },
  }
  const own: Catalogue = { ...catalogue, resources: [resource] }
  return serve({ catalogue: own, invoke: async (_id, { query }) => json(200, Object.fromEntries(query)) })
}

/** Null where it is no address of the resource. */
async function argumentsOf(app: App, uri: string): Promise<unknown> {
  const { result } = rpc(await app(message('legacy', 'resources/read', { uri })))
  return result === undefined ? null : JSON.parse(result.contents[0].text)
}

const cases: readonly (readonly [template: string, pattern: RegExp])[] = [
  ['x://{a}', /^x:\/\/(?<a>[^/?#]+)$/],
  ['x://{a}/{b}', /^x:\/\/(?<a>[^/?#]+)\/(?<b>[^/?#]+)$/],
  ['x://{a}-{b}', /^x:\/\/(?<a>[^/?#]+)-(?<b>[^/?#]+)$/],
  ['x://{a}{b}', /^x:\/\/(?<a>[^/?#]+)(?<b>[^/?#]+)$/],
  ['x://{+a}/{b}-/{+c}', /^x:\/\/(?<a>[^?#]+)\/(?<b>[^/?#]+)-\/(?<c>[^?#]+)$/],
  ['x://{+a}--{b}/', /^x:\/\/(?<a>[^?#]+)--(?<b>[^/?#]+)\/$/],
  ['{+a}x://{b}', /^(?<a>[^?#]+)x:\/\/(?<b>[^/?#]+)$/],
]

t.test('an address has the arguments that a regular expression finds', async (t) => {
  for (const [template, pattern] of cases) {
    const app = serveTemplate(template)
    for (let number = 0; number < 300; number += 1) {
      const digits = [...(number * 7919).toString(5)].map((digit) => 'ab-/#'[Number(digit)])
      const uri = `x://${digits.join('')}`
      const { groups } = pattern.exec(uri) ?? {}
      t.strictSame(await argumentsOf(app, uri), groups ? { ...groups } : null, `${template}: ${uri}`)
    }
  }
})

t.test('a long address is judged at once, however many arguments it may have', async (t) => {
  const long = 8_000
  const dashed = serveTemplate('x://{a}-{b}-{c}')
  t.equal(await argumentsOf(dashed, `x://${'-'.repeat(long)}#`), null)
  t.strictSame(await argumentsOf(dashed, `x://${'-'.repeat(long)}`), {
    a: '-'.repeat(long - 4),
    b: '-',
    c: '-',
  })
  const paths = serveTemplate('x://{+a}/v/{+b}/v/{+c}')
  t.equal(await argumentsOf(paths, `x://${'/v/'.repeat(long / 3)}#`), null)
})

t.test('an address that is longer than one may be over HTTP is refused', async (t) => {
  const app = serveTemplate('x://{a}')
  const read = async (length: number, era: 'legacy' | 'modern') => {
    const uri = `x://${'a'.repeat(length - 4)}`
    const sent = message(era, 'resources/read', { uri })
    return rpc(await app({ ...sent, headers: { ...sent.headers, 'mcp-name': uri } }))
  }
  for (const era of ['legacy', 'modern'] as const) {
    t.match(await read(8_192, era), { result: { contents: [{}] } })
    t.strictSame((await read(8_193, era)).error, {
      code: -32602,
      message: 'the address of a resource has 8193 characters, at most 8192 are possible',
    })
  }
})
