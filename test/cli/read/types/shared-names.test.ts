/** Types of one name in several modules or namespaces: told apart by what they stand in. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../../cli/compiler/compile.ts'
import { type Files, memoryHost } from '../../support/memory-host.ts'
import { clientWith } from '../../support/requested-client.ts'

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
  const transport = readFileSync('templates/client/request.ts', 'utf8')
  const compilation = compile(memoryHost(files), clientWith(transport))
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

t.test('the first of two types of one name keeps it, whichever is read first', async (t) => {
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
    t.strictSame(names, ['Item', 'ShopItem'])
    t.strictSame([refs['/wares'], refs['/boxes']], ['ShopItem', 'Item'])
    t.match(text('client.ts'), /export interface Item \{\s+shelf: string/)
    t.match(text('client.ts'), /export interface ShopItem \{\s+price: number/)
    t.notMatch(text('mcp.yml'), 'ACM')
  }
})

t.test('so it is with two names that are one key', async (t) => {
  const files = {
    'app/dollar.ts': 'export interface A$ { dollar: 1 }\nexport interface Box<T> { of: T }\n',
    'app/line.ts':
      'export interface A_ { line: 1 }\nexport interface Länge { a: 1 }\nexport interface Lange { b: 1 }\n',
    'app/controllers/dollars.ts': controller('Dollars', '../dollar.ts', 'A$'),
    'app/controllers/lines.ts': controller('Lines', '../line.ts', 'A_'),
    'app/controllers/marks.ts': controller('Marks', '../line.ts', 'Länge'),
    'app/controllers/plain.ts': controller('Plain', '../line.ts', 'Lange'),
  }
  t.strictSame(made(files).refs, {
    '/dollars': 'A_',
    '/lines': 'LineA_',
    '/marks': 'Lange',
    '/plain': 'LineLange',
  })
})

t.test(
  'one that comes later in the order of files renames none, and one alone has its plain name',
  async (t) => {
    const more = {
      'app/zone.ts': 'export interface Item { z: 1 }\n',
      'app/controllers/a.ts': controller('A', '../zone.ts'),
    }
    t.strictSame(made(shop).refs, { '/wares': 'Item' })
    t.strictSame(made({ ...shop, ...more }).refs, { '/a': 'ZoneItem', '/wares': 'Item' })
    t.strictSame(made({ ...shop, ...more, ...depot }).names, ['Item', 'ShopItem', 'ZoneItem'])
    t.strictSame(made({ ...shop, ...depot, ...attic }).names, ['DepotItem', 'Item', 'ShopItem'])
  },
)

t.test('namespaces tell them apart, and generics of them too', async (t) => {
  const { names } = made({
    'app/kinds.ts': `export namespace Cellar { export interface Row { a: number } }
export namespace Roof { export interface Row { b: number } }
export interface Page<T> { items: T[] }
export interface Both { one: Page<Cellar.Row>; other: Page<Roof.Row> }
`,
    'app/controllers/rows.ts': controller('Rows', '../kinds.ts', 'Both'),
  })
  t.strictSame(names, ['Both', 'PageOfRoofRow', 'PageOfRow', 'RoofRow', 'Row'])
})

t.test(
  'modules of one name are told apart by their folders, and an own name wins over such a one',
  async (t) => {
    const word = (folder: string): string => folder.toUpperCase().replace('/', '')
    const model = (folder: string): Files => ({
      [`app/${folder}/model.ts`]: `export interface Item { ${folder.replace('/', '')}: number }\n`,
      [`app/controllers/${folder.replace('/', '-')}.ts`]: controller(word(folder), `../${folder}/model.ts`),
    })
    const three = { ...model('shop'), ...model('depot'), ...model('u/shop') }
    t.strictSame(made(three).names, ['Item', 'ModelItem', 'ShopModelItem'])
    const own = {
      'app/own.ts': 'export interface ModelItem { own: 1 }\n',
      'app/controllers/own.ts': controller('Own', '../own.ts', 'ModelItem'),
    }
    t.strictSame(made({ ...three, ...own }).refs, {
      '/depot': 'Item',
      '/own': 'ModelItem',
      '/shop': 'ShopModelItem',
      '/ushop': 'UShopModelItem',
    })
  },
)

/** `Item` of the first file, and of another one as it is written there: what they are called. */
const first = {
  'app/a.ts': 'export interface Item { a: number }\n',
  'app/controllers/as.ts': controller('As', '../a.ts'),
}
const others: Readonly<Record<string, Files>> = {
  'an alias': { 'app/b.ts': 'export type Item = { b: string }\n' },
  'a union': { 'app/b.ts': "export type Item = { b: 'x' } | { b: 'y'; z: number }\n" },
  'a class': { 'app/b.ts': 'export class Item { b!: string }\n' },
  'an enum': { 'app/b.ts': "export enum Item { X = 'x', Y = 'y' }\n" },
  'what Pick comes to': {
    'app/b.ts': "interface Row { b: string; c: 1 }\nexport type Item = Pick<Row, 'b'>\n",
  },
  'a type without a name but its alias': {
    'app/b.ts': "const all = { one: { b: 'x' } }\nexport type Item = (typeof all)['one']\n",
  },
  'one that holds itself': { 'app/b.ts': 'export interface Item { b?: Item }\n' },
  'a recursive alias': { 'app/b.ts': 'export type Item = number | Item[]\n' },
}

t.test('the first keeps its name beside every kind of type', async (t) => {
  for (const [kind, files] of Object.entries(others)) {
    const { refs, names } = made({ ...first, ...files, 'app/controllers/bs.ts': controller('Bs', '../b.ts') })
    t.strictSame([refs, names], [{ '/as': 'Item', '/bs': 'BItem' }, ['BItem', 'Item']], kind)
  }
})

t.test('types of app/ keep theirs beside lib/ and packages, those of acmcp beside all', async (t) => {
  const foreign = (type: string): Files => ({
    'app/z.ts': `export interface ${type} { z: number }\n`,
    'app/controllers/zs.ts': controller('Zs', '../z.ts', type),
  })
  const lib = {
    'lib/a.ts': 'export interface Item { lib: 1 }\n',
    'app/controllers/a.ts': controller('A', '../../lib/a.ts'),
  }
  t.strictSame(made({ ...foreign('Item'), ...lib }).refs, { '/a': 'AItem', '/zs': 'Item' })
  const pack = {
    'node_modules/pack/package.json': '{"name":"pack","types":"index.d.ts"}',
    'node_modules/pack/index.d.ts': 'export interface Item { pack: 1 }\n',
    'app/controllers/a.ts': controller('A', 'pack'),
  }
  t.strictSame(made({ ...foreign('Item'), ...pack }).refs, { '/a': 'PackItem', '/zs': 'Item' })
  const zs = foreign('CommonResponse')['app/controllers/zs.ts'] ?? ''
  const own = {
    ...foreign('CommonResponse'),
    'app/controllers/zs.ts': zs.replaceAll(/\bController\b/g, 'ApplicationController'),
  }
  t.strictSame(made(own).names, ['CommonResponse', 'ParameterResponse', 'ZCommonResponse'])
})

t.test('two families of types that lead to one another are told apart at any depth', async (t) => {
  const family = (version: string): string =>
    [...'ABCDEFG']
      .map((name, place) => `export interface ${name} { ${version}: ${'BCDEFGA'[place]} | null }\n`)
      .join('')
  const { names } = made({
    'app/v1.ts': family('one'),
    'app/v2.ts': family('two'),
    'app/controllers/ones.ts': controller('Ones', '../v1.ts', 'A'),
    'app/controllers/twos.ts': controller('Twos', '../v2.ts', 'A'),
  })
  t.strictSame(names.join(' '), 'A B C D E F G V2A V2B V2C V2D V2E V2F V2G')
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
