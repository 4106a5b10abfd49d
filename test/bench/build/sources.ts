/** Synthetic applications for the build benchmark: `count` controllers of five routes, one model file each, one shared
 *  file. The models use what real ones use: inheritance, nesting, unions, enums, recursion, utility types, a generic
 *  page, constraint tags. The same models serve acmcp's controllers (tags) and tsoa's (decorators). Every real application
 *  imports packages: so does this one when it is asked for `packages`. */

export type Files = ReadonlyMap<string, string>

/** Whether an application imports packages, as every real one does. */
export type Imports = 'packages' | 'nothing'

/** What an application with packages has installed beside `acmcp` and Node's types. */
export const packages: readonly string[] = ['zod', 'kysely', 'ws', '@types/ws']

/** acmcp's application: `app/config.ts`, `app/controllers/`, `app/models/`. With packages, each controller imports
 *  `node:crypto` and the kysely handle in `app/database.ts`, and each model has a zod schema. */
export function acmcpSources(count: number, imports: Imports = 'nothing'): Files {
  const hasPackages = imports === 'packages'
  const files = new Map([
    ['package.json', '{"name":"bench","version":"1.0.0","license":"MIT","type":"module"}\n'],
    ['tsconfig.json', tsconfig],
    [
      'app/config.ts',
      `import { type AppConfig, defineApp } from 'acmcp'\n\nexport const config: AppConfig = defineApp({})\n`,
    ],
    ['app/models/shared.ts', shared],
  ])
  if (hasPackages) files.set('app/database.ts', database)
  for (const name of names(count)) {
    const [model, controller] = [modelOf(name, '.ts'), acmcpController(name)]
    files.set(`app/models/${name.toLowerCase()}.ts`, hasPackages ? withZod(name, model) : model)
    files.set(
      `app/controllers/${name.toLowerCase()}s.ts`,
      hasPackages ? withKysely(name, controller) : controller,
    )
  }
  return files
}

/** What the other benches put beside their own controllers: one controller of this application, with what it imports of
 *  packages. Import-free it is nothing. */
export function besideImports(imports: Imports): Files {
  if (imports === 'nothing') return new Map()
  const own = new Set(['package.json', 'tsconfig.json', 'app/config.ts'])
  return new Map([...acmcpSources(1, imports)].filter(([path]) => !own.has(path)))
}

/** The same application for tsoa: decorators, CommonJS as its examples. */
export function tsoaSources(count: number): Files {
  const files = new Map([
    ['package.json', '{"name":"bench","version":"1.0.0","license":"MIT"}\n'],
    ['tsconfig.json', tsoaTsconfig],
    ['tsoa.json', tsoaConfig],
    ['app/models/shared.ts', shared],
  ])
  for (const name of names(count)) {
    files.set(`app/models/${name.toLowerCase()}.ts`, modelOf(name, ''))
    files.set(`app/controllers/${name.toLowerCase()}s.ts`, tsoaController(name))
  }
  return files
}

/** Pronounceable, distinct names, so that nothing collides by case. */
function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `Item${String(index).padStart(3, '0')}`)
}

const tsconfig = `{
  "compilerOptions": {
    "target": "es2023", "lib": ["es2023"], "module": "nodenext", "moduleResolution": "nodenext",
    "strict": true, "noEmit": true, "skipLibCheck": true, "allowImportingTsExtensions": true, "types": ["node"]
  },
  "include": ["app"]
}
`

const tsoaTsconfig = `{
  "compilerOptions": {
    "target": "es2022", "lib": ["es2022"], "module": "commonjs", "moduleResolution": "node",
    "strict": true, "noEmit": true, "skipLibCheck": true, "experimentalDecorators": true, "types": ["node"]
  },
  "include": ["app"]
}
`

const tsoaConfig = `{
  "entryFile": "app/models/shared.ts",
  "noImplicitAdditionalProperties": "throw-on-extras",
  "controllerPathGlobs": ["app/controllers/*.ts"],
  "spec": { "outputDirectory": "out", "specVersion": 3 },
  "routes": { "routesDir": "out", "middleware": "express" }
}
`

const shared = `/** Where something happened. */
export interface Place {
  street: string
  city: string
  /** Two letters. */
  country: string
}

export interface Timestamps {
  createdAt: Date
  updatedAt: Date
}

export interface Page<T> {
  items: T[]
  total: number
  next?: string
}

export type Currency = 'EUR' | 'USD' | 'GBP'

export interface Money {
  /**
   * @minimum 0
   */
  amount: number
  currency: Currency
}
`

const database = `import { Kysely, PostgresDialect } from 'kysely'
import type { WebSocket } from 'ws'

export interface Database {
  items: { id: string; title: string; state: string }
}

export const listeners = new Set<WebSocket>()

export const database = new Kysely<Database>({ dialect: new PostgresDialect({ pool: async () => Promise.reject() }) })
`

/** The model with a schema of zod, and the type that it infers. */
const withZod = (name: string, model: string): string => `import { z } from 'zod'
${model}
export const ${name}Filter = z.object({
  text: z.string().max(200).optional(),
  states: z.array(z.enum(['draft', 'open', 'closed'])),
  from: z.object({ city: z.string(), zip: z.string().nullable() }),
})
export type ${name}Filter = z.infer<typeof ${name}Filter>
`

/** The controller with a route that takes the inferred type and asks the database. */
const withKysely = (name: string, controller: string): string =>
  `import { randomUUID } from 'node:crypto'\n${controller}`
    .replace(
      'import type { Page }',
      `import { database } from '../database.ts'\nimport type { ${name}Filter } from '../models/${name.toLowerCase()}.ts'\nimport type { Page }`,
    )
    .replace(
      /\}\n$/,
      `
  /**
   * Finds some.
   *
   * @post /find
   */
  async find(filter: Body<${name}Filter>): Promise<{ id: string; title: string }[]> {
    const id = filter.text ?? randomUUID()
    return database.selectFrom('items').select(['id', 'title']).where('id', '=', id).execute()
  }
}
`,
    )

function modelOf(name: string, extension: string): string {
  return `import type { Money, Place, Timestamps } from './shared${extension}'

export enum ${name}State {
  Draft = 'draft',
  Open = 'open',
  Closed = 'closed',
}

export interface ${name}Base extends Timestamps {
  /** The number of the thing. */
  id: number
  /**
   * @minLength 1
   * @maxLength 200
   */
  title: string
}

export interface ${name}Card {
  kind: 'card'
  number: string
  holder: { first: string; last: string }
}

export interface ${name}Transfer {
  kind: 'transfer'
  iban: string
}

export interface ${name}Cash {
  kind: 'cash'
  received: Money
}

export type ${name}Payment = ${name}Card | ${name}Transfer | ${name}Cash

export interface ${name}Node {
  label: string
  children: ${name}Node[]
}

/** One ${name}. */
export interface ${name} extends ${name}Base {
  state: ${name}State
  priority: 'low' | 'normal' | 'high'
  price: Money
  address: Place | null
  payment: ${name}Payment
  tree?: ${name}Node
  tags: string[]
  meta: { source: string; weight?: number; nested: { deep: boolean; list: number[] } }
  owner${name}?: string
}

export type ${name}Draft = Omit<${name}, 'id' | 'createdAt' | 'updatedAt'>
export type ${name}Patch = Partial<Pick<${name}, 'title' | 'priority' | 'tags'>>
export type ${name}Summary = Pick<${name}, 'id' | 'title' | 'state'>
`
}

function acmcpController(name: string): string {
  const lower = name.toLowerCase()
  return `import { type Body, Controller, type Int32 } from 'acmcp'
import type { ${name}, ${name}Draft, ${name}Patch, ${name}Summary } from '../models/${lower}.ts'
import type { Page } from '../models/shared.ts'

declare const db: { all<T>(): Promise<T> }

/**
 * Everything about ${name}.
 *
 * @base /api/${lower}s
 */
export class ${name}s extends Controller {
  /**
   * Lists them, newest first.
   *
   * @get /
   * @param limit - how many to return at most
   * @param search - text to look for
   */
  async index(limit: Int32 = 20, search?: string): Promise<Page<${name}Summary>> {
    return db.all<Page<${name}Summary>>()
  }

  /**
   * Shows one.
   *
   * @get /:id
   * @param id - which one
   */
  async show(id: Int32): Promise<${name}> {
    return db.all<${name}>()
  }

  /**
   * Makes one.
   *
   * @post /
   * @returns 201 as stored
   */
  async create(draft: Body<${name}Draft>): Promise<${name}> {
    return db.all<${name}>()
  }

  /**
   * Changes one.
   *
   * @patch /:id
   * @param id - which one
   */
  async update(id: Int32, patch: Body<${name}Patch>): Promise<${name}> {
    return db.all<${name}>()
  }

  /**
   * Removes one.
   *
   * @delete /:id
   * @param id - which one
   */
  async remove(id: Int32): Promise<void> {}
}
`
}

function tsoaController(name: string): string {
  const lower = name.toLowerCase()
  return `import { Body, Controller, Delete, Get, Patch, Path, Post, Query, Route, SuccessResponse, Tags } from 'tsoa'
import type { ${name}, ${name}Draft, ${name}Patch, ${name}Summary } from '../models/${lower}'
import type { Page } from '../models/shared'

declare const db: { all<T>(): Promise<T> }

/** Everything about ${name}. */
@Route('api/${lower}s')
@Tags('${name}s')
export class ${name}s extends Controller {
  /**
   * Lists them, newest first.
   * @param limit how many to return at most
   * @param search text to look for
   */
  @Get('/')
  async index(@Query() limit: number = 20, @Query() search?: string): Promise<Page<${name}Summary>> {
    return db.all<Page<${name}Summary>>()
  }

  /**
   * Shows one.
   * @param id which one
   */
  @Get('{id}')
  async show(@Path() id: number): Promise<${name}> {
    return db.all<${name}>()
  }

  /** Makes one. */
  @Post('/')
  @SuccessResponse('201', 'as stored')
  async create(@Body() draft: ${name}Draft): Promise<${name}> {
    return db.all<${name}>()
  }

  /**
   * Changes one.
   * @param id which one
   */
  @Patch('{id}')
  async update(@Path() id: number, @Body() patch: ${name}Patch): Promise<${name}> {
    return db.all<${name}>()
  }

  /**
   * Removes one.
   * @param id which one
   */
  @Delete('{id}')
  async remove(@Path() id: number): Promise<void> {}
}
`
}
