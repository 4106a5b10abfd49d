/** What the typed client of the application makes of an answer. */
import type { TestClient } from '../../../../../runtime/testing.ts'
import type { AnyClient, ClientModule } from '../../../../cli/client/served-client.ts'
import type { DrawnTypes, Field, Shape } from './shapes.ts'

/** The typed client, which asks as `caller`. */
export const decodingClient = (module: ClientModule, caller: TestClient, baseUrl: string): AnyClient =>
  module.createClient({
    baseUrl,
    fetch: async (url: string, { method = 'GET', headers }: RequestInit) => {
      const answer = await caller.request({
        method: method as 'GET', // or another
        url: url.slice(baseUrl.length),
        headers: Object.fromEntries(new Headers(headers)),
      })
      const sent = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const)
      return new Response(new Uint8Array(answer.rawPayload), {
        status: answer.statusCode,
        headers: new Headers(sent.map(([name, value]): [string, string] => [name, value])),
      })
    },
  })

/** Where it is no value of its type, though JSON has a form of it: a text that should be a date, a list that should be a set. In a
 *  union that is not looked at. */
export function undecoded(
  value: unknown,
  shape: Shape,
  named: DrawnTypes['named'],
  path = '',
): readonly string[] {
  const inside = (item: unknown, of: Shape, name: string): readonly string[] =>
    undecoded(item, of, named, `${path}/${name}`)
  switch (shape.kind) {
    case 'scalar':
      return typeof value === 'string' && isDecoded(shape.text) ? [path] : []
    case 'name':
      return inside(value, named.get(shape.text) ?? shape, shape.text)
    case 'list':
      if (Array.isArray(value) && shape.text.startsWith('Set<')) return [path]
      return Array.isArray(value) || value instanceof Set
        ? [...value].flatMap((item, index) => inside(item, shape.items, String(index)))
        : []
    case 'tuple':
      return Array.isArray(value)
        ? shape.items.flatMap((item, index) => inside(value[index], item, String(index)))
        : []
    case 'map':
      if (isFields(value) && shape.text.startsWith('Map<')) return [path]
      return entriesOf(value).flatMap(([name, item]) => inside(item, shape.values, String(name)))
    case 'object':
      return entriesOf(value).flatMap(([name, item]) => {
        const field = shape.fields.find((each: Field) => each.name === name)
        return field === undefined ? [] : inside(item, field.shape, String(name))
      })
    default:
      return []
  }
}

const isDecoded = (type: string): boolean => type === 'Date' || type === 'bigint'

const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

function entriesOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (value instanceof Map) return [...value]
  return isFields(value) ? Object.entries(value) : []
}
