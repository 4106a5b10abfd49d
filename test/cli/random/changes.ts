/** An application whose controllers depend on each other in every way, and random edits of it. */
import type { Files } from '../support/memory-host.ts'

export type Edit = (files: Files, count: number) => Files

const shared = `export interface Place { city: string; country: 'DE' | 'GB' | 'AT' }
export interface Timestamps { createdAt: Date; updatedAt: Date }
export interface Page<T> { items: T[]; total: number }
export type Currency = 'EUR' | 'USD' | 'GBP'
export interface Money {
  /** @minimum 0 */
  amount: number
  currency: Currency
}
`
const errors = `export class Gone extends Error { readonly code = 'gone' }
export class Full extends Error { readonly code = 'full' }
`
const base = `import { CommonResponse, Controller, type Header, NotFound } from 'acmcp'
import { Gone } from './errors.ts'
import type { Page } from './shared.ts'
export abstract class Guarded extends Controller {
  /**
   * Needs a token.
   *
   * @filter before
   */
  async guard(authorization?: Header<'Authorization'>): Promise<void> {}

  /** @exception {NotFound} 404 */
  missing(error: NotFound): CommonResponse { return new CommonResponse(error) }

  /** @exception {Gone} 410 */
  gone(error: Gone): CommonResponse { return new CommonResponse(error) }
}

export abstract class Crud<T> extends Guarded {
  /**
   * Lists all.
   *
   * @get /
   */
  async list(): Promise<Page<T>> { throw new Error() }
}
`

const model = (name: string): string => `import type { Money, Place, Timestamps } from '../shared.ts'
export enum ${name}State { Draft = 'draft', Open = 'open' }
export interface ${name}Card { kind: 'card'; number: string }
export interface ${name}Cash { kind: 'cash'; received: Money }
export type ${name}Payment = ${name}Card | ${name}Cash
export interface ${name} extends Timestamps {
  id: number
  /** @minLength 1 */
  title: string
  state: ${name}State
  priority: 'low' | 'normal' | 'high'
  address: Place | null
  payment: ${name}Payment
  mixed?: string | number | string[] | { deep: 'z' | 'a' }
}
export type ${name}Draft = Omit<${name}, 'createdAt' | 'updatedAt' | 'id'>
export type ${name}Patch = Partial<Pick<${name}, 'title' | 'priority' | 'state'>>
export type ${name}Flags = Record<'wide' | 'bold' | 'id', boolean>
`

const controller = (name: string): string => `import { type Body, type Int32 } from 'acmcp'
import { Crud } from '../base.ts'
import type { ${name}, ${name}Draft, ${name}Flags, ${name}Patch } from '../models/${name.toLowerCase()}.ts'

/**
 * All about ${name}.
 *
 * @base /api/${name.toLowerCase()}s
 */
export class ${name}s extends Crud<${name}> {
  /**
   * Shows one.
   *
   * @get /:id
   * @param id - which one
   */
  async show(id: Int32): Promise<${name} | undefined> { return undefined }

  /**
   * Makes one.
   *
   * @post /
   * @returns 201 as stored
   */
  async create(draft: Body<${name}Draft>): Promise<${name}> { throw new Error() }

  /**
   * Changes one.
   *
   * @patch /:id
   * @param id - which one
   */
  async update(id: Int32, patch: Body<${name}Patch>): Promise<${name}Flags | keyof ${name}> { throw new Error() }
}
`

const names = ['Bird', 'Cat', 'Dog', 'Eel']
const configuration = `import { defineApp } from 'acmcp'\nexport const config: object = defineApp({})\n`

/** A package of types, and one that declares something for all files of a program that imports it. */
const packages: Files = {
  'node_modules/rates/package.json': '{"name":"rates","types":"index.d.ts"}',
  'node_modules/rates/index.d.ts':
    "export type Rate = 'daily' | 'yearly'\nexport interface Rated<T> { rate: Rate; of: T }\n",
  'node_modules/wide/package.json': '{"name":"wide","types":"index.d.ts"}',
  'node_modules/wide/index.d.ts': 'export {}\ndeclare global { interface Everywhere { wide: 1 } }\n',
}

/** JSON that modules import, and that others read by other means. */
const imported: Files = {
  'tsconfig.json': '{"compilerOptions":{"module":"nodenext","types":[],"resolveJsonModule":true}}',
  'package.json': '{"name":"zoo","version":"1.0.0","type":"module"}',
  'app/kind.json': '{"type":"string","minLength":1,"maxLength":9}',
  'app/about.ts': `import manifest from '../package.json' with { type: 'json' }
import kind from './kind.json' with { type: 'json' }
export const about = \`\${manifest.version} \${kind.type}\`
`,
  'app/controllers/owls.ts': `import { type Body, Controller } from 'acmcp'
export interface Owl {
  /** @schema ../kind.json */
  kind: string
}
/** Some owls of a shop. */
export class Owls extends Controller {
  /**
   * Makes one.
   *
   * @post /
   */
  async create(owl: Body<Owl>): Promise<Owl> { return owl }
}
`,
}

const eels = (more: string): string =>
  controller('Eel')
    .replace(/^/, `import type { Rated } from 'rates'\n${more}`)
    .replace('Promise<Eel | undefined> { return undefined }', 'Promise<Rated<Eel>> { throw new Error() }')

/** Before any edit. */
export const zoo: Files = {
  ...packages,
  ...imported,
  'app/config.ts': configuration,
  'app/shared.ts': shared,
  'app/errors.ts': errors,
  'app/base.ts': base,
  ...Object.fromEntries(
    names.flatMap((name) => [
      [`app/models/${name.toLowerCase()}.ts`, model(name)],
      [`app/controllers/${name.toLowerCase()}s.ts`, name === 'Eel' ? eels('') : controller(name)],
    ]),
  ),
}

/** The packages of `realZoo`. */
export const realPackages = ['zod', 'kysely', 'ws'] as const

/** The zoo with a controller that imports what real applications do. */
export const realZoo: Files = {
  ...zoo,
  'app/controllers/keepers.ts': `import { randomUUID } from 'node:crypto'
import { type Body, Controller } from 'acmcp'
import type { Insertable, Selectable } from 'kysely'
import type { WebSocket } from 'ws'
import { z } from 'zod'

const NewKeeper = z.object({ name: z.string(), shifts: z.array(z.enum(['day', 'night'])) })
type NewKeeper = z.infer<typeof NewKeeper>
interface KeeperTable { id: string; name: string; since: Date | null }
export type Keeper = Selectable<KeeperTable>
export type KeeperRow = Insertable<KeeperTable>

const listeners = new Set<WebSocket>()

/** Some keepers of a shop. */
export class Keepers extends Controller {
  /**
   * Makes one.
   *
   * @post /
   */
  async create(keeper: Body<NewKeeper>): Promise<Keeper> {
    for (const one of listeners) one.send(keeper.name)
    return { id: randomUUID(), name: keeper.name, since: null }
  }
}
`,
}

const without = (files: Files, path: string): Files =>
  Object.fromEntries(Object.entries(files).filter(([name]) => name !== path))

const replace =
  (path: string, from: RegExp | string, to: (count: number) => string): Edit =>
  (files, count) => {
    const text = files[path]
    return text === undefined ? files : { ...files, [path]: text.replace(from, to(count)) }
  }

const append =
  (path: string, text: (count: number) => string): Edit =>
  (files, count) => ({ ...files, [path]: (files[path] ?? '') + text(count) })

const put =
  (path: string, text: (count: number) => string): Edit =>
  (files, count) => ({ ...files, [path]: text(count) })

const remove =
  (path: string): Edit =>
  (files) =>
    without(files, path)

const cats = 'app/controllers/cats.ts'
const birds = 'app/controllers/birds.ts'
const extras = (count: number): string => `import { Controller } from 'acmcp'
import type { Cat } from '../models/cat.ts'
import type { Extra } from '../extra.ts'
export class Extras${count % 2 === 0 ? '' : 'More'} extends Controller {
  /**
   * Number ${count}.
   *
   * @get /${count % 3}
   */
  show(): Extra | Cat { throw new Error() }
}
`

/** Some change one controller, some many, some break it; each may be undone. */
export const edits: ReadonlyMap<string, Edit> = new Map<string, Edit>([
  [
    'a schema of zod',
    replace(
      'app/controllers/keepers.ts',
      /shifts: .* \}\)/,
      (count) => `shifts: z.array(z.enum(['day', ${count % 2 === 0 ? "'night'" : "'noon'"}])) })`,
    ),
  ],
  [
    'a type of kysely',
    replace(
      'app/controllers/keepers.ts',
      /type Keeper = .*/,
      (count) => `type Keeper = ${count % 2 === 0 ? 'Selectable' : 'Insertable'}<KeeperTable>`,
    ),
  ],
  [
    'a type of a package',
    replace('app/controllers/eels.ts', /Rated<\w+>/, (count) =>
      count % 2 === 0 ? 'Rated<Eel>' : "Rated<'x'>",
    ),
  ],
  ['a package that declares for all', put('app/controllers/eels.ts', () => eels("import 'wide'\n"))],
  ['no such package', put('app/controllers/eels.ts', () => eels(''))],
  ['a doc comment', replace(cats, /Shows .*one\./, (count) => `Shows ${'any '.repeat(count % 3)}one.`)],
  ['no summary', replace(cats, '   * Makes one.\n', () => '   *\n')],
  ['a summary', replace(cats, '   *\n   *\n   * @post', () => '   * Makes one.\n   *\n   * @post')],
  ['twin texts', replace(birds, 'Makes one.', () => 'Shows one.')],
  ['a base path', replace(cats, /@base .*/, (count) => `@base /api/${['cats', 'dogs', 'pets'][count % 3]}`)],
  [
    'a parameter',
    replace(
      birds,
      /show\(id: Int32.*?\)/,
      (count) => `show(id: Int32${count % 2 === 0 ? ", only?: 'x' | 'c' | 'low'" : ''})`,
    ),
  ],
  [
    'a renamed method',
    replace(birds, /async (create|make)\(/, (count) => `async ${count % 2 === 0 ? 'make' : 'create'}(`),
  ],
  [
    'a renamed class',
    replace(cats, /class Cats\w*/, (count) => `class Cats${count % 2 === 0 ? 'AndMore' : ''}`),
  ],
  ['a model', append('app/models/cat.ts', (count) => `export interface More${count} { n: ${count} }\n`)],
  [
    'a field',
    replace(
      'app/models/cat.ts',
      / {2}id: number\n/,
      (count) => `  id: number\n  f${count}: 'b' | 'a' | 'title'\n`,
    ),
  ],
  [
    'a field with other literals',
    replace(
      'app/models/bird.ts',
      /'low' \| 'normal' \| 'high'.*/,
      (count) =>
        ["'low' | 'normal' | 'high'", "'high' | 'low' | 'normal' | 'card'", "'normal' | 'high' | 'low' | 3"][
          count % 3
        ] ?? '',
    ),
  ],
  [
    'an order of members',
    replace(
      'app/models/dog.ts',
      /Payment = .*/,
      (count) => `Payment = ${count % 2 === 0 ? 'DogCash | DogCard' : 'DogCard | DogCash'}`,
    ),
  ],
  [
    'shared types',
    replace(
      'app/shared.ts',
      /currency: Currency.*/,
      (count) => `currency: Currency; c${count % 4}?: boolean`,
    ),
  ],
  [
    'a type by which others that name it are told apart',
    replace(
      'app/models/cat.ts',
      /kind: '\w+'; number/,
      (count) => `kind: '${count % 2 === 0 ? 'card' : 'visa'}'; number`,
    ),
  ],
  [
    'a shared text',
    replace(
      'app/shared.ts',
      /^(\/\*\*.*\n)?export interface Place/,
      (count) => `/** Number ${count}. */\nexport interface Place`,
    ),
  ],
  [
    'a handler of the base',
    replace('app/base.ts', /@exception \{Gone\} \d+/, (count) => `@exception {Gone} ${410 + (count % 2)}`),
  ],
  ['a field of an error', replace('app/errors.ts', /code = 'full'/, () => "code: 'full' | 'more' = 'full'")],
  [
    'a handler of its own',
    replace(
      birds,
      /\n}\n$/,
      (count) =>
        `\n\n  /** @exception {RangeError} ${400 + (count % 5)} */\n  range${count}(error: RangeError): string { return error.message }\n}\n`,
    ),
  ],
  [
    'a tag in vain',
    replace(
      'app/base.ts',
      /export abstract class Crud/,
      () => '/** @mcp hide */\nexport abstract class Crud',
    ),
  ],
  [
    'an abstract controller that hides in vain',
    put(
      'app/controllers/half.ts',
      (count) =>
        `import { Controller } from 'acmcp'\n// ${count}\n/** @mcp hide */\nexport abstract class Half extends Controller {}\n`,
    ),
  ],
  ['no abstract controller', remove('app/controllers/half.ts')],
  ['a new controller', put('app/controllers/extras.ts', extras)],
  ['a controller less', remove('app/controllers/extras.ts')],
  [
    'a new type',
    put(
      'app/extra.ts',
      (count) => `export interface Extra { value: ${count % 2 === 0 ? 'number' : 'Date'} }\n`,
    ),
  ],
  ['a type less', remove('app/extra.ts')],
  [
    'a type of one name',
    append(
      'app/extra.ts',
      () => 'export interface Page { one: string }\nexport interface Extra { page: Page }\n',
    ),
  ],
  ['a type that moves', replace(cats, "'../models/cat.ts'", () => "'../models/cats.ts'")],
  ['the type that moved', (files) => ({ ...files, 'app/models/cats.ts': files['app/models/cat.ts'] ?? '' })],
  ['the type back', replace(cats, "'../models/cats.ts'", () => "'../models/cat.ts'")],
  ['a broken file', append(birds, () => '}}} {')],
  ['a file repaired', put(birds, () => controller('Bird'))],
  ['another repaired', put(cats, () => controller('Cat'))],
  [
    'models repaired',
    (files) => ({ ...files, 'app/models/cat.ts': model('Cat'), 'app/models/bird.ts': model('Bird') }),
  ],
  [
    'shared files repaired',
    (files) => ({ ...files, 'app/shared.ts': shared, 'app/base.ts': base, 'app/errors.ts': errors }),
  ],
  [
    'a type without a JSON form',
    replace(
      'app/models/dog.ts',
      / {2}id: (number|symbol)\n/,
      (count) => `  id: ${count % 2 === 0 ? 'symbol' : 'number'}\n`,
    ),
  ],
  ['a stray tag', append(birds, () => '// @mcp hide\n')],
  [
    'an ambient declaration',
    put(
      'app/globals.d.ts',
      (count) => `declare global { interface Everywhere { n${count}: string } }\nexport {}\n`,
    ),
  ],
  ['its use', replace('app/models/bird.ts', /mixed\?: .*/, () => 'mixed?: Everywhere')],
  ['none', remove('app/globals.d.ts')],
  [
    'an augmentation',
    put(
      'app/augmented.ts',
      (count) =>
        `import type {} from './shared.ts'\ndeclare module './shared.ts' { interface Money { extra${count % 2}: string } }\n`,
    ),
  ],
  ['no augmentation', remove('app/augmented.ts')],
  [
    'an edit of a file that none imports',
    put('app/lonely.ts', (count) => `export const lonely = ${count}\n`),
  ],
  [
    'settings',
    put(
      'tsconfig.json',
      (count) =>
        `{"compilerOptions":{"module":"nodenext","types":[],"resolveJsonModule":true,"exactOptionalPropertyTypes":${count % 2 === 0}}}`,
    ),
  ],
  ['the version', put('package.json', (count) => `{"name":"zoo","version":"1.0.${count}","type":"module"}`)],
  [
    'a schema file',
    put('app/kind.json', (count) =>
      count % 2 === 0
        ? `{"type":"string","maxLength":9,"minLength":${count % 3}}`
        : `{"type":"string","minLength":${count % 3},"maxLength":9}`,
    ),
  ],
  [
    'an order of tags',
    replace(
      'app/shared.ts',
      / {2}\/\*\*[^/]*\/\n {2}amount/,
      (count) =>
        `  /**\n   * ${(count % 2 === 0 ? ['@minimum 0', '@maximum 9'] : ['@maximum 9', '@minimum 0']).join('\n   * ')}\n   */\n  amount`,
    ),
  ],
  [
    'responders',
    put(
      'app/config.ts',
      (count) =>
        `import { defineApp } from 'acmcp'\nexport const config: object = defineApp({ responders: { 'text/${count % 2 === 0 ? 'csv' : 'html'}': String } })\n`,
    ),
  ],
  [
    'a content type',
    replace(
      'app/base.ts',
      /@exception \{Gone\} 41\d.*/,
      (count) => `@exception {Gone} 410${count % 2 === 0 ? ' type=text/csv' : ''} */`,
    ),
  ],
])
