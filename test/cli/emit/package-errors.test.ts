/** Exception classes of packages, as installed: kysely's and zod's, however an application imports them; and classes that have
 *  their names in namespaces, of constants and aliases; built and served. */
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openTestApp } from '../../../runtime/testing.ts'
import { built, folderOf, strictSettings, typeErrors, write } from '../support/built-app.ts'
import { typeErrorsOf } from '../support/type-check.ts'

t.setTimeout(240_000)

const handler = (name: string, error: string, status: number): string => `
  /** @exception {${error}} ${status} */
  ${name}(_error: ${error}): { by: string } { return { by: '${name}' } }
`

const files = {
  'tsconfig.json': strictSettings,
  'app/errors.ts': `export { ZodError as Invalid } from 'zod'\nexport * from 'kysely'\n`,
  'app/controllers/by-name.ts': `import { Controller } from 'acmcp'
import { NoResultError } from 'kysely'
import { AssertionError } from 'node:assert'
import { ZodError } from 'zod'
/** Of it. */
export class ByName extends Controller {
  ${handler('invalid', 'ZodError', 422)}
  ${handler('missing', 'NoResultError', 404)}
  ${handler('wrong', 'AssertionError', 409)}
  /**
   * Throws.
   *
   * @get /
   * @param kind - what
   */
  index(kind: string): string { throw thrown(kind) }
}
export function thrown(kind: string): unknown {
  if (kind === 'zod') return new ZodError([])
  if (kind === 'assert') return new AssertionError({ message: kind })
  return new NoResultError({ kind: 'SelectQueryNode' })
}
`,
  'app/controllers/renamed.ts': `import { Controller } from 'acmcp'
import type { NoResultError as Nothing } from 'kysely'
import type * as z from 'zod'
import { thrown } from './by-name.ts'
/** Of it. */
export class Renamed extends Controller {
  ${handler('invalid', 'z.ZodError', 422)}
  ${handler('missing', 'Nothing', 404)}
  /**
   * Throws.
   *
   * @get /
   * @param kind - what
   */
  index(kind: string): string { throw thrown(kind) }
}
`,
  'app/controllers/reexported.ts': `import { Controller } from 'acmcp'
import type { Invalid, NoResultError } from '../errors.ts'
import { thrown } from './by-name.ts'
/** Of it. */
export class Reexported extends Controller {
  ${handler('invalid', 'Invalid', 422)}
  ${handler('missing', 'NoResultError', 404)}
  /**
   * Throws.
   *
   * @get /
   * @param kind - what
   */
  index(kind: string): string { throw thrown(kind) }
}
`,
  'app/controllers/spaced.ts': `import { Controller } from 'acmcp'
import { z } from 'zod'
import { thrown } from './by-name.ts'
/** Of it. */
export class Spaced extends Controller {
  ${handler('invalid', 'z.ZodError', 422)}
  ${handler('missing', "import('kysely').NoResultError", 404)}
  /**
   * Throws.
   *
   * @get /
   * @param kind - what
   */
  index(kind: string): string { z.string(); throw thrown(kind) }
}
`,
}

function application(changed: Readonly<Record<string, string>>): string {
  const root = folderOf(t, { ...files, ...changed })
  for (const name of ['kysely', 'zod'])
    symlinkSync(join(process.cwd(), 'node_modules', name), join(root, 'node_modules', name), 'dir')
  return root
}

t.test('errors.md, handlers: a class of a package is imported as the application does', async (t) => {
  const root = application({})
  t.equal((await built(root)).stderr, '')
  t.equal(typeErrors(root), '')
  const table = readFileSync(join(root, 'generated/routes.ts'), 'utf8')
  t.strictSame(table.match(/^import .*(zod|kysely|errors|assert).*/gm), [
    "import { Invalid, NoResultError as NoResultError2 } from '../app/errors.ts'",
    "import { NoResultError } from 'kysely'",
    "import { AssertionError } from 'node:assert'",
    "import { ZodError } from 'zod'",
  ])
  const app = await openTestApp({ cwd: root })
  t.teardown(() => app.close())
  const answers: unknown[] = []
  for (const path of ['by_name', 'renamed', 'reexported', 'spaced'])
    for (const kind of ['zod', 'kysely']) {
      const answer = await app.client().get(`/${path}?kind=${kind}`)
      answers.push([path, answer.statusCode, answer.body])
    }
  t.strictSame(
    answers,
    ['by_name', 'renamed', 'reexported', 'spaced'].flatMap((path) => [
      [path, 422, '{"by":"invalid"}'],
      [path, 404, '{"by":"missing"}'],
    ]),
  )
  t.equal((await app.client().get('/by_name?kind=assert')).statusCode, 409)
})

t.test('a handler of a class of a package that an earlier one covers is told (ACM213)', async (t) => {
  const root = application({
    'app/controllers/renamed.ts': `import { Controller } from 'acmcp'
import { NoResultError } from 'kysely'
export class Gone extends NoResultError {}
/** Of it. */
export class Renamed extends Controller {
  ${handler('first', 'NoResultError', 404)}
  ${handler('second', 'Gone', 410)}
  /**
   * Throws.
   *
   * @get /
   */
  index(): string { throw new Gone({ kind: 'SelectQueryNode' }) }
}
`,
  })
  const { status, stderr } = await built(root)
  t.match([status, stderr], [0, /ACM213.*second/])
})

t.test('the frame of a mistake that the bundle finds shows the line as it was to be (ACM301)', async (t) => {
  const root = application({})
  write(root, 'generated/routes.ts', '// old\n// old\n// old\n// old\n')
  write(
    root,
    'app/controllers/renamed.ts',
    `import { Controller } from 'acmcp'
export declare class Nowhere extends Error {}
/** Of it. */
export class Renamed extends Controller {
  ${handler('missing', 'Nowhere', 404)}
  /**
   * Throws.
   *
   * @get /
   */
  index(): string { return '' }
}
`,
  )
  const { stderr } = await built(root)
  t.match(stderr, /ACM301: No matching export .* "Nowhere"\n {2}\d \| import .*Nowhere/)
})

/** Declared as Prisma's client is (a namespace, by import aliases or of constants), and as Stripe's (the default with a namespace). */
const packages = {
  'node_modules/orm/package.json': '{"name":"orm","type":"module","exports":"./index.js"}',
  'node_modules/orm/runtime.d.ts':
    'export declare class KnownError extends Error { readonly code: string; constructor(code: string) }\n',
  'node_modules/orm/runtime.js':
    'export class KnownError extends Error { constructor(code) { super(code); this.code = code } }\n',
  'node_modules/orm/names.d.ts': `import * as runtime from './runtime.js'
export declare const KnownError: typeof runtime.KnownError
export type KnownError = runtime.KnownError
`,
  'node_modules/orm/names.js': "export { KnownError } from './runtime.js'\n",
  'node_modules/orm/index.d.ts': `import * as runtime from './runtime.js'
export namespace Orm { export import KnownError = runtime.KnownError }
export * as Names from './names.js'
`,
  'node_modules/orm/index.js': `import * as runtime from './runtime.js'
export const Orm = { KnownError: runtime.KnownError }
export * as Names from './names.js'
`,
  'node_modules/pay/package.json': '{"name":"pay","type":"module","exports":"./index.js"}',
  'node_modules/pay/index.d.ts': `declare class Pay {}
declare namespace Pay { namespace errors { class CardError extends Error {} } }
export default Pay
`,
  'node_modules/pay/index.js': `export default class Pay {}
Pay.errors = { CardError: class CardError extends Error {} }
`,
}

/** How a class is written in its tag, how its handler's parameter is, how it is thrown, and what the table calls it. */
const ways: readonly (readonly [tag: string, parameter: string, thrown: string, named: string])[] = [
  ['Alias', 'Error', 'new Alias()', 'Alias'],
  ['Held', 'Held', 'new Alias2()', 'Alias2'],
  ['Errors.Gone', 'Errors.Gone', 'new Errors.Gone()', 'Errors.Gone'],
  ['Errors.Deep.Lost', 'Errors.Deep.Lost', 'new Errors.Deep.Lost()', 'Errors.Deep.Lost'],
  ['Expressed', 'InstanceType<typeof Expressed>', 'new Expressed()', 'Expressed'],
  ['Named', 'Error', 'new Named()', 'Named'],
  ['Mixed', 'Mixed', 'new Mixed()', 'Mixed'],
  ['Mixin', 'Error', 'new Mixin()', 'Mixin'],
  ['Spelt', 'Expired', 'new Expired()', 'Expired'],
  ['errors.Errors.Old', 'errors.Errors.Old', 'new errors.Errors.Old()', 'Errors.Old'],
  ['Orm.KnownError', 'Orm.KnownError', "new Orm.KnownError('P2025')", 'Orm.KnownError'],
  ['Names.KnownError', 'Names.KnownError', "new Names.KnownError('P2025')", 'Names.KnownError'],
  ["import('orm').Orm.KnownError", 'Error', "new Orm.KnownError('P2025')", 'Orm.KnownError'],
  ['Pay.errors.CardError', 'Pay.errors.CardError', 'new Pay.errors.CardError()', 'Pay.errors.CardError'],
  ['DOMException', 'DOMException', "new DOMException('no', 'AbortError')", 'DOMException'],
  ['WebAssembly.CompileError', 'Error', "new WebAssembly.CompileError('no')", 'WebAssembly.CompileError'],
  ['Ranged', 'RangeError', "new RangeError('no')", 'Ranged'],
  ['Here', 'Error', 'new Here()', 'Here'],
  ['Other', 'Error', 'new Other()', 'Other'],
  ['Kept', 'Error', 'new Kept()', 'Kept'],
]

const wayFile = (
  [tag, parameter, thrown]: (typeof ways)[number],
  index: number,
): string => `import { Controller } from 'acmcp'
import { Alias, Alias2, Errors, type Held, Expressed, Named, Mixed, Mixin, Expired, type Spelt, Ranged } from '../errors.ts'
import * as errors from '../errors.ts'
import { Names, Orm } from 'orm'
import Pay from 'pay'
export const Here = class extends Error {}
export const Other = Here
const Kept = class extends Error {}
export { Kept }
/** Of it. */
export class Way${index} extends Controller {
  ${handler('caught', tag, 404).replace(`_error: ${tag}`, `_error: ${parameter}`)}
  /**
   * Throws.
   *
   * @get /
   */
  index(): string { throw ${thrown} }
}
export const used: unknown = [Alias, Alias2, Errors, Expressed, Named, Mixed, Mixin, Expired, Ranged, errors, Names, Orm, Pay]
export type Used = Held | Spelt
`

t.test('errors.md, handlers: a class is caught by every name that it has', async (t) => {
  const root = folderOf(t, {
    'tsconfig.json': JSON.stringify({
      compilerOptions: { ...JSON.parse(strictSettings).compilerOptions, lib: ['es2023', 'dom'] },
      include: ['app', 'generated'],
    }).replace('"noUnusedLocals":true', '"noUnusedLocals":false'),
    'app/errors.ts': `class Hidden extends Error {}
export const Alias = Hidden
class Held extends Error {}
export type { Held }
export const Alias2: typeof Held = Held
export namespace Errors {
  export class Gone extends Error {}
  export class Old extends Error {}
  export namespace Deep { export class Lost extends Error {} }
}
export const Expressed = class extends Error {}
export const Named = class Inner extends Error {}
const mixed = <T extends new (...args: any[]) => object>(Base: T) => class extends Base { readonly isMixed = true }
export class Mixed extends mixed(Error) {}
export const Mixin = mixed(Error)
export class Expired extends Error {}
export type Spelt = Expired
export const Ranged = RangeError
`,
    ...packages,
    ...Object.fromEntries(ways.map((way, index) => [`app/controllers/way${index}.ts`, wayFile(way, index)])),
  })
  const { stderr } = await built(root)
  t.equal(stderr, '')
  const table = readFileSync(join(root, 'generated/routes.ts'), 'utf8')
  const app = await openTestApp({ cwd: root })
  t.teardown(() => app.close())
  for (const [index, [tag, , , named]] of ways.entries()) {
    const { statusCode, body } = await app.client().get(`/way${index}`)
    t.strictSame([statusCode, body], [404, '{"by":"caught"}'], tag)
    t.match(table, new RegExp(`error: ${named.replaceAll('.', '\\.')}\\b`), tag)
  }
  t.equal(typeErrorsOf(join(root, 'tsconfig.json')), '')
})
