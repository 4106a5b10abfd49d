/** A recursive `@schema` as strangers meet it: a filter by body and by address, answered at once by a server that is asked from
 *  everywhere. */
import t from 'tap'
import { openTestApp } from '../../../runtime/testing.ts'
import { builtFolder } from '../../support/linked.ts'
import { growth } from '../../support/report/growth.ts'

t.setTimeout(240_000) // a busy machine

const member = (properties: object, op: string): object => ({
  type: 'object',
  properties: { ...properties, op: { const: op } },
  required: ['op'],
  additionalProperties: false,
})
const ref = { $ref: '#/$defs/filter' }
const filter = {
  $ref: '#/$defs/filter',
  $defs: {
    filter: { anyOf: [{ $ref: '#/$defs/not' }, { $ref: '#/$defs/and' }, { $ref: '#/$defs/equal' }] },
    not: member({ of: ref }, 'not'),
    and: member({ left: ref, right: ref, of: ref }, 'and'),
    equal: member({ of: { type: ['string', 'object'] } }, 'equal'),
  },
}

const folder = await builtFolder({
  'package.json': '{"name":"search","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': "import { defineApp } from 'acmcp'\n\nexport const config = defineApp({})\n",
  'app/schemas/filter.json': JSON.stringify(filter),
  'app/controllers/search.ts': `import { ApplicationController, type Body } from 'acmcp'

/** @schema ../schemas/filter.json */
export interface Filter { op: string }

/**
 * Looks up.
 *
 * @base /search
 */
export class Search extends ApplicationController {
  /**
   * By address.
   *
   * @get /
   * @mcp hide
   */
  index(where: Filter): string { return where.op }

  /**
   * By body.
   *
   * @post /
   * @mcp hide
   */
  find(where: Body<Filter>): string { return where.op }
}
`,
})

/** `not` of `not` of … : as long as asked, and what no member of the union takes at its end. */
const nested = (depth: number, last: object): object =>
  depth === 0 ? last : { of: nested(depth - 1, last), op: 'not' }
const misfit = { of: 1, op: 'none' }
const fits = { of: 'x', op: 'equal' }

/** The deepest whose text is no longer. */
function upTo(bytes: number, textOf: (depth: number) => string): string {
  let depth = 1
  while (textOf(depth + 1).length <= bytes) depth += 1
  return textOf(depth)
}

const addressOf = (last: object) => (depth: number) =>
  `/search/?where=${encodeURIComponent(JSON.stringify(nested(depth, last)))}`

const json = { accept: 'application/json', 'content-type': 'application/json' }

t.test(
  'a recursive schema file, by address and by body, takes time in proportion to what it judges',
  async (t) => {
    const app = await openTestApp({ cwd: folder, environment: { production: true } })
    t.teardown(app.close)
    const client = app.client()
    for (const [last, status] of [
      [fits, 200],
      [misfit, 400],
    ] as const) {
      const url = addressOf(last)
      const answered = async (answer: Promise<{ readonly statusCode: number }>): Promise<void> => {
        const { statusCode } = await answer
        if (statusCode !== status) throw new Error(`answered ${statusCode}`)
      }
      await growth(t, {
        name: `a recursive schema by address, ${status}: characters`,
        sizes: [186, 372, 745],
        input: (bytes) => upTo(bytes, url),
        work: (address) => answered(client.get(address, json)),
        control: (address) => decodeURIComponent(address).length,
      })
      await growth(t, {
        name: `a recursive schema by body, ${status}: bytes`,
        sizes: [95, 190, 381],
        input: (bytes) => upTo(bytes, (depth) => JSON.stringify(nested(depth, last))),
        work: (payload) =>
          answered(client.request({ method: 'POST', url: '/search/', headers: json, payload })),
        control: (payload) => JSON.parse(payload),
      })
    }
  },
)
