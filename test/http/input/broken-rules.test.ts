/** A value that breaks a constraint: the answer names the rule, wherever the value was read from. */
import t from 'tap'
import { openTestApp } from '../../../runtime/testing.ts'
import { built, folderOf } from '../../cli/support/built-app.ts'

t.setTimeout(240_000)

const root = folderOf(t, {
  'app/controllers/items.ts': `import { ApplicationController, type Body, type Header, type Int32 } from 'acmcp'

/**
 * @minimum 1
 * @maximum 100
 */
export type Size = Int32

/** @pattern ^[a-z]+$ */
export type Slug = string

export interface Item {
  /**
   * @minLength 2
   * @maxLength 4
   */
  name: string
  /**
   * @exclusiveMinimum 0
   * @exclusiveMaximum 10
   * @multipleOf 0.5
   */
  price: number
  /**
   * @minItems 1
   * @maxItems 2
   * @uniqueItems
   */
  tags: string[]
}

/** Items. */
export class Items extends ApplicationController {
  /**
   * Lists items.
   *
   * @get /of/:slug
   * @param slug - whose
   * @param size - how many
   * @param tenant - for whom
   */
  index(slug: Slug, size: Size = 20, tenant: Header<'x-tenant', Slug> = 'a'): string[] { return [slug, String(size), tenant] }

  /**
   * Adds an item.
   *
   * @post /
   */
  create(item: Body<Item>): string { return item.name }
}
`,
})

t.test('a broken constraint is named: query, path, header, form, JSON and tool', async (t) => {
  t.equal((await built(root)).status, 0)
  const app = await openTestApp({ cwd: root })
  t.teardown(app.close)
  const client = app.client()
  const said = (answer: { readonly statusCode: number; json(): unknown }): unknown => [
    answer.statusCode,
    answer.json(),
  ]
  interface Wrong {
    readonly came: string
    readonly kind?: string
    readonly place?: string
  }
  const wrong = (
    parameter: string,
    rule: string,
    restriction: string,
    { came, kind = 'parameter', place = '' }: Wrong,
  ): unknown => [
    400,
    {
      error: `invalid ${kind} value for '${parameter}'${place}: ${rule}, got ${came}`,
      parameter,
      restriction,
    },
  ]
  const place = " in the body 'item'"
  t.strictSame(
    said(await client.get('/items/of/a?size=1000')),
    wrong('size', 'must be at most 100', 'Int32', { came: '1000' }),
  )
  t.strictSame(
    said(await client.get('/items/of/a?size=0')),
    wrong('size', 'must be at least 1', 'Int32', { came: '0' }),
  )
  t.strictSame(
    said(await client.get('/items/of/A')),
    wrong('slug', 'must match ^[a-z]+$', 'string', { came: 'text' }),
  )
  t.strictSame(
    said(await client.get('/items/of/a', { 'x-tenant': 'A' })),
    wrong('x-tenant', 'must match ^[a-z]+$', 'string', { came: 'text', kind: 'header' }),
  )
  t.strictSame(
    said(await client.submit('/items', { name: 'x', price: '1', tags: 'a' })),
    wrong('name', 'must have at least 2 characters', 'string', { came: 'text', place }),
  )
  const good = { name: 'mugs', price: 0.5, tags: ['a'] }
  const tried: readonly (readonly [
    change: object,
    parameter: string,
    rule: string,
    type: string,
    came: string,
  ])[] = [
    [{ name: 'mugss' }, 'name', 'must have at most 4 characters', 'string', 'text'],
    [{ name: '😀😀😀😀😀' }, 'name', 'must have at most 4 characters', 'string', 'text'],
    [{ price: 0 }, 'price', 'must be greater than 0', 'Float64', '0'],
    [{ price: 10 }, 'price', 'must be less than 10', 'Float64', '10'],
    [{ price: 0.7 }, 'price', 'must be a multiple of 0.5', 'Float64', '0.7'],
    [{ tags: [] }, 'tags', 'must have at least 1 item', 'string[]', 'list'],
    [{ tags: ['a', 'b', 'c'] }, 'tags', 'must have at most 2 items', 'string[]', 'list'],
    [{ tags: ['a', 'a'] }, 'tags', 'must not have an item twice', 'string[]', 'list'],
  ]
  for (const [change, parameter, rule, type, came] of tried)
    t.strictSame(
      said(await client.json('/items', { ...good, ...change })),
      wrong(parameter, rule, type, { came, place }),
    )
  t.equal((await client.json('/items', good)).statusCode, 200)
  const { content, isError } = await client.tool('items_index', { slug: 'a', size: 1000 })
  t.equal(isError, true)
  t.match(content[0]?.text, "invalid parameter value for 'size': must be at most 100, got 1000")
})
