/** Types of one name in several modules or namespaces: told apart by what they stand in. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../../cli/compiler/compile.ts'
import { type Files, memoryHost } from '../../support/memory-host.ts'

t.setTimeout(60_000)

const controller = (
  name: string,
  from: string,
  type = 'Item',
): string => `import { type Body, Controller } from 'acmcp'
${from === '' ? '' : `import type { ${type.split('.')[0]} } from '${from}'`}
/** Keeps ${name}. */
export class ${name} extends Controller {
  /**
   * Lists.
   *
   * @get /
   */
  list(): ${type}[] { return [] }
  /**
   * Adds.
   *
   * @post /
   * @param one - what is added
   */
  add(one: Body<${type}>): ${type} { return one }
}
`

interface Made {
  readonly names: readonly string[]
  readonly refs: Readonly<Record<string, string>>
  readonly text: (name: string) => string
}

function made(files: Files): Made {
  const compilation = compile(memoryHost(files), {
    client: readFileSync('templates/client/request.ts', 'utf8'),
  })
  if (compilation.files.length === 0) throw new Error(JSON.stringify(compilation.diagnostics))
  const text = (name: string): string =>
    compilation.files.find(({ path }) => path === `generated/${name}`)?.text ?? ''
  const { paths, components } = parse(text('openapi.yml'))
  const refs = Object.keys(paths).map((path) => [
    path,
    paths[path].post.requestBody.content['application/json'].schema.$ref.split('/').at(-1),
  ])
  return { names: Object.keys(components.schemas), refs: Object.fromEntries(refs), text }
}

const shop = {
  'app/shop.ts': 'export interface Item { price: number }\n',
  'app/controllers/wares.ts': controller('Wares', '../shop.ts'),
}
const depot = {
  'app/depot.ts': 'export interface Item { shelf: string }\n',
  'app/controllers/boxes.ts': controller('Boxes', '../depot.ts'),
}
const attic = {
  'app/attic/item.ts': 'export interface Item { dust: boolean }\n',
  'app/controllers/attics.ts': controller('Attics', '../attic/item.ts'),
}

t.test('two types of one name are told apart by their modules, whichever is read first', async (t) => {
  for (const files of [
    { ...shop, ...depot },
    { ...depot, ...shop },
    // the other controller comes first
    {
      ...shop,
      'app/depot.ts': depot['app/depot.ts'],
      'app/controllers/zones.ts': controller('Boxes', '../depot.ts'),
    },
  ]) {
    const { names, refs, text } = made(files)
    t.strictSame(names, ['DepotItem', 'ShopItem'])
    t.strictSame([refs['/wares'], refs['/boxes']], ['ShopItem', 'DepotItem'])
    t.match(text('client.ts'), /export interface DepotItem \{\s+shelf: string/)
    t.match(text('client.ts'), /export interface ShopItem \{\s+price: number/)
    t.notMatch(text('mcp.yml'), 'ACM')
  }
})

t.test('a third one renames none of them, and one alone keeps its plain name', async (t) => {
  t.strictSame(made({ ...shop, ...depot, ...attic }).names, ['AtticItem', 'DepotItem', 'ShopItem'])
  t.strictSame(made(shop).names, ['Item'])
})

t.test('namespaces tell them apart, and generics of them too', async (t) => {
  const { names } = made({
    'app/kinds.ts': `export namespace Cellar { export interface Row { a: number } }
export namespace Roof { export interface Row { b: number } }
export interface Page<T> { items: T[] }
export interface Both { one: Page<Cellar.Row>; other: Page<Roof.Row> }
`,
    'app/controllers/rows.ts': controller('Rows', '../kinds.ts', 'Both'),
  })
  t.strictSame(names, ['Both', 'CellarRow', 'PageOfCellarRow', 'PageOfRoofRow', 'RoofRow'])
})

t.test('modules of one name are told apart by their folders', async (t) => {
  const { names } = made({
    'app/shop/model.ts': 'export interface Item { price: number }\n',
    'app/depot/model.ts': 'export interface Item { shelf: string }\n',
    'app/controllers/wares.ts': controller('Wares', '../shop/model.ts'),
    'app/controllers/boxes.ts': controller('Boxes', '../depot/model.ts'),
  })
  t.strictSame(names, ['DepotModelItem', 'ShopModelItem'])
})

t.test('a property without a name is required as any other', async (t) => {
  const { text } = made({
    'app/odd.ts': "export interface Odd { '': string; a?: string }\n",
    'app/controllers/odds.ts': controller('Odds', '../odd.ts', 'Odd'),
  })
  t.strictSame(parse(text('openapi.yml')).components.schemas.Odd, {
    type: 'object',
    properties: { '': { type: 'string' }, a: { type: 'string' } },
    required: [''],
  })
})
