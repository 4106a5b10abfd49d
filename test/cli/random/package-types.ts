/** Types that real packages make: name, type, and whether the build refuses it. */
import { strictSettings } from '../support/built-app.ts'
import type { Files } from '../support/memory-host.ts'

type PackageType = readonly [name: string, type: string, isRefused?: true]

const declarations = `
const Id = z.string().brand<'Id'>()
const User = z.object({ id: Id, at: z.date(), n: z.number().brand('N').nullable() })
const Category = z.object({ name: z.string(), get sub() { return z.array(Category) } })
const Named = z.object({ name: z.string(), get sub() { return z.array(Named).optional() } })
export type Named = z.infer<typeof Named>
const Author = z.object({ email: z.string(), get posts() { return z.array(Post) } })
const Post = z.object({ title: z.string(), get author() { return Author } })
const Shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('circle'), r: z.number() }),
  z.object({ kind: z.literal('group'), get shapes() { return z.array(Shape) } }),
])
const Kinds1 = z.object({ a: z.partialRecord(z.enum(['x', 'y']), z.number()), b: z.templateLiteral(['v', z.number()]),
  c: z.looseObject({ q: z.string() }), d: z.object({}).catchall(z.number()), e: z.url(), f: z.tuple([z.string()]).rest(z.number()) })
enum Hidden { Red = 'red', Blue = 'blue' }
const Coloured = z.object({ c: z.enum(Hidden), n: z.nullable(z.enum(Hidden)), l: z.literal(['q', 1, null, true]) })
interface Notes { id: Generated<number>; text: string; at: ColumnType<Date, string | undefined, never>; level: ColumnType<'a' | 'b' | null>; json: ColumnType<{ a: number }, string, string | undefined> }
interface Tree { value: number; children: Tree[]; parent?: Tree; at: Date; m: Map<string, Tree> }
`

export const packageTypes: readonly PackageType[] = [
  ['brand', 'z.infer<typeof User>'],
  ['brandInput', 'z.input<typeof User>'],
  ['category', 'z.infer<typeof Category>'],
  ['namedCategory', 'Named'],
  ['mutual', '{ u: z.infer<typeof Author>; p: z.output<typeof Post> }'],
  ['union', 'z.infer<typeof Shape>'],
  ['json', '{ j: z.infer<ReturnType<typeof z.json>> }'],
  ['many', 'z.infer<typeof Kinds1>'],
  ['hidden', 'z.infer<typeof Coloured>'],
  ['schema', 'typeof User', true],
  ['selectable', 'Selectable<Notes>'],
  ['insertable', 'Insertable<Notes>'],
  ['updateable', 'Updateable<Notes>'],
  ['kyselyRow', '{ rows: Selectable<Notes>[]; patch: Updateable<Notes> | null }'],
  ['partialDeep', 'tf.PartialDeep<Tree, { recurseIntoArrays: true }>'],
  ['readonlyDeep', 'tf.ReadonlyDeep<Tree>', true],
  ['jsonify', 'tf.Jsonify<Tree>'],
  ['tagged', "{ a: tf.Tagged<string, 'T'>; b: tf.JsonValue; c: tf.LiteralUnion<'x' | 'y', string> }"],
  [
    'shapes',
    '{ a: tf.MergeExclusive<{ a: 1 }, { b: 2 }>; b: tf.RequireAtLeastOne<{ a?: 1; b?: 2 }>; c: tf.IntRange<0, 5>; d: tf.NonEmptyTuple<string> }',
  ],
  ['manifest', 'tf.PackageJson'],
  ['settings', 'tf.TsConfigJson'],
  ['pattern', 'P.infer<{ a: typeof P.string; b: typeof P.number }>'],
]

const methods = (types: readonly PackageType[]): string =>
  types
    .map(
      ([name, type]) =>
        `  /**\n   * Takes it.\n   *\n   * @post /${name}\n   */\n  ${name}(value: ${type}): ${type} { return value }\n`,
    )
    .join('\n')

/** An application that takes and answers each. */
export const packageTypesApp = (types: readonly PackageType[]): Files => ({
  'tsconfig.json': strictSettings
    .replace('"noUnusedLocals":true', '"noUnusedLocals":false')
    .replace('"exactOptionalPropertyTypes":true', '"exactOptionalPropertyTypes":false'),
  'app/controllers/kinds.ts': `import { Controller } from 'acmcp'
import type { ColumnType, Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { P } from 'ts-pattern'
import type * as tf from 'type-fest'
import { z } from 'zod'
${declarations}
/** Some kinds of a shop. */
export class Kinds extends Controller {
${methods(types)}}
`,
})
