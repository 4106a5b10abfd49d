/** A recursive `@schema` as strangers meet it: a filter by body and by address, answered at once by a server that is asked from
 *  everywhere. */
import t from 'tap'
import { openTestApp } from '../../../runtime/testing.ts'
import { startInstance } from '../../serve/support/instance.ts'
import { freePort } from '../../support/free-port.ts'
import { builtFolder } from '../../support/linked.ts'

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

t.test('a recursive schema file by address and by body, on one server', async (t) => {
  const app = await openTestApp({ cwd: folder, environment: { production: true } })
  t.teardown(app.close)
  const client = app.client()
  for (const [last, status] of [
    [fits, 200],
    [misfit, 400],
  ] as const) {
    const url = upTo(745, addressOf(last))
    const before = process.cpuUsage().user
    const answer = await client.get(url, json)
    const ms = (process.cpuUsage().user - before) / 1000
    t.equal(answer.statusCode, status)
    t.ok(ms < 200, `${url.length} characters of an address take ${ms} ms`)
  }
})

t.test('four bodies of 381 bytes at once, at two workers, are answered at once', async (t) => {
  const instance = await startInstance({ cwd: folder, port: await freePort(), workers: 2 })
  t.teardown(() => instance.stop())
  const body = upTo(381, (depth) => JSON.stringify(nested(depth, misfit)))
  const requested = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 4 }, () =>
      fetch(`${instance.baseUrl}/search/`, { method: 'POST', headers: json, body }),
    ),
  )
  const ms = performance.now() - requested
  t.strictSame(
    answers.map(({ status }) => status),
    [400, 400, 400, 400],
  )
  t.ok(ms < 5_000, `${body.length} bytes, four times: ${ms} ms`) // on a busy machine; an exponential judge takes 45 s
})
