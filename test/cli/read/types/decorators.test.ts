/** Decorators of other libraries on types that are read: what they keep out of answers, and a warning for each that nobody reads. */
import t from 'tap'
import { type Compilation, compile } from '../../../../cli/compiler/compile.ts'
import type { Schema } from '../../../../cli/compiler/ir/schema.ts'
import { memoryHost } from '../../support/memory-host.ts'
import { withClient } from '../../support/requested-client.ts'

const declaring = (names: string): string =>
  names
    .split(' ')
    .map(
      (name) =>
        `export declare function ${name}(...options: any[]): (target: any, name?: any, index?: any) => void\n`,
    )
    .join('')

const libraries = {
  'node_modules/class-transformer/package.json': '{"name":"class-transformer","types":"index.d.ts"}',
  'node_modules/class-transformer/index.d.ts': declaring('Exclude Expose Transform Type'),
  'node_modules/class-validator/package.json': '{"name":"class-validator","types":"index.d.ts"}',
  'node_modules/class-validator/index.d.ts': declaring('IsEmail IsOptional Length Min ValidateNested'),
  'node_modules/typeorm/package.json': '{"name":"typeorm","types":"index.d.ts"}',
  'node_modules/typeorm/index.d.ts': declaring('Entity Column'),
  'node_modules/@nestjs/common/package.json': '{"name":"@nestjs/common","types":"index.d.ts"}',
  'node_modules/@nestjs/common/index.d.ts': declaring('applyDecorators'),
  'node_modules/@nestjs/swagger/package.json': '{"name":"@nestjs/swagger","types":"index.d.ts"}',
  'node_modules/@nestjs/swagger/index.d.ts': declaring('ApiProperty ApiHideProperty'),
  'node_modules/people/package.json': '{"name":"people","types":"people.ts"}',
  'node_modules/people/people.ts': `import { Min } from 'class-validator'
import { Exclude } from 'class-transformer'
export class Foreign { @Min(1) age = 1; @Exclude() hash = '' }
`,
  'node_modules/@sinclair/typebox/package.json': '{"name":"@sinclair/typebox","types":"index.d.ts"}',
  'node_modules/@sinclair/typebox/index.d.ts': `export interface TObject<T> { static: T }
export type Static<T extends { static: unknown }> = T['static']
export declare function Obj<T>(of: T): TObject<T>
`,
}

const imports = `import { Exclude, Expose, Transform, Type } from 'class-transformer'
import { IsEmail, IsOptional, Length, Min } from 'class-validator'
import { Column, Entity } from 'typeorm'
import { ApiHideProperty, ApiProperty } from '@nestjs/swagger'
import { Foreign } from 'people'; import { applyDecorators } from '@nestjs/common'
import { Controller, type Body, type Rendered } from 'acmcp'
`

/** Of the types, from line 7 on, and of the members of a controller. */
function compiled(types: string, members: string, strict = false): Compilation {
  const text = `${imports}${types}
/** Users. */
export class Users extends Controller {
${members}
}
`
  return compile(memoryHost({ ...libraries, 'app/controllers/users.ts': text }), { ...withClient, strict })
}

const get = (type: string): string => `/** Shows.\n * @get / */\nshow(): ${type} { throw new Error() }`

/** What is told: code, severity, line and column, message. */
const said = ({ diagnostics }: Compilation): readonly string[] =>
  diagnostics.map(
    ({ code, severity, at, message }) =>
      `${code} ${severity} ${at.file === 'app/controllers/users.ts' ? '' : `${at.file}:`}${at.line}:${at.column} ${message}`,
  )

/** Types of a file of their own, the one that is answered, and its names: a star stands behind what nobody gets. */
type Answered = readonly [types: string, expected: string, type?: string]

const base = 'export class Base { @Exclude() hash = ""; id = 1 }\n'
const user = (members: string): string => `export class User { ${members}; id = 1 }`

const written: readonly Answered[] = [
  [user('@Exclude() hash = ""'), 'id hash*'],
  [user('@Exclude({ toPlainOnly: true }) hash = ""'), 'id hash*'],
  [user('@Expose({ groups: ["admin"] }) hash = ""; @Expose() more = 1'), 'more id hash*'],
  [user('@ApiHideProperty() hash = ""'), 'id hash*'],
  [user('@Column({ select: false, length: 60 }) hash = ""'), 'id hash*'],
  [user('@ApiProperty({ writeOnly: true }) hash = ""'), 'id hash*'],
  ['@Exclude() export class User { hash = ""; @Expose() id = 1 }', 'id hash*'],
  [`const Hidden = 1 > 2 ? ApiProperty : Exclude; ${user('@Hidden() hash = ""')}`, 'id hash*'],
  [`const Hidden = (Exclude as any) ?? ApiProperty; ${user('@Hidden() hash = ""')}`, 'id hash*'],
  [user('constructor(@Exclude() readonly hash: string) {}'), 'id hash*'],
  [`const Hidden = Exclude\n${user('@Hidden() hash = ""')}`, 'id hash*'],
  [`const Hidden = () => Exclude()\n${user('@Hidden() hash = ""')}`, 'id hash*'],
  [
    `const Inner = () => Exclude()\nfunction Outer() { return Inner() }\n${user('@Outer() hash = ""')}`,
    'id hash*',
  ],
  [`const mine = { hide: () => Exclude() }\n${user('@mine.hide() hash = ""')}`, 'id hash*'],
  [`class Mine { static hide() { return Exclude() } }\n${user('@Mine.hide() hash = ""')}`, 'id hash*'],
  [user('@(Exclude()) hash = ""'), 'id hash*'],
  [user('@(Exclude() as PropertyDecorator) hash = ""'), 'id hash*'],
  [user('@(true ? Exclude() : Expose()) hash = ""'), 'id hash*'],
  [user('@applyDecorators(Column(), Exclude()) hash = ""'), 'id hash*'],
  [user('@applyDecorators(...[Column({ select: false })]) hash = ""'), 'id hash*'],
  [user('@applyDecorators(Type(() => Exclude)) role = ""; @Type(() => Exclude()) more = 1'), 'role more id'],
  [`const options = {}\n${user('@Exclude(options) hash = ""')}`, 'id hash*'],
  [user('@Exclude({ toClassOnly: true }) role = ""'), 'role id'],
]

const made: readonly Answered[] = [
  [`${base}export class User extends Base { more = 1 }`, 'more id hash*'],
  [`${base}export class User extends Base { override hash = "x" }`, 'id hash*'],
  [`${base}export interface User extends Base { more: number }`, 'more id hash*'],
  [base, 'id hash*', 'Omit<Base, "none">'],
  [base, 'id hash*', 'Required<Partial<Base>>'],
  [base, 'id more hash*', 'Base & { more: 1 }'],
  [`${base}type My<T> = { [K in keyof T as \`my_\${string & K}\`]: T[K] }`, 'my_id my_hash*', 'My<Base>'],
  ['export class Box<T> { value!: T; @Exclude() hash!: T }', 'value hash*', 'Box<string>'],
  ['@Exclude() export class Own { @Expose() id = 1; hash = "" }', 'id hash*', 'Omit<Own, "none">'],
  [
    'export class Parent { hash = "" }\n@Exclude() export class User extends Parent { @Expose() id = 1 }',
    'id hash*',
  ],
  ['', 'age hash*', 'Foreign'],
]

/** Of all in one run, and whether a document names what nobody gets. */
function answered(cases: readonly Answered[]): readonly string[] {
  const files = cases.map(([types, , type = 'User'], index) => [
    `app/controllers/case${index}.ts`,
    `${imports}${types}\n/** Cases. */\nexport class Case${index} extends Controller {\n${get(type)}\n}\n`,
  ])
  const { model, files: documents } = compile(memoryHost({ ...libraries, ...Object.fromEntries(files) }), {
    ...withClient,
  })
  const names = (schema: Schema | null | undefined): readonly string[] =>
    schema?.kind === 'ref'
      ? names(model.schemas.find(({ name }) => name === schema.name)?.schema)
      : schema?.kind === 'object'
        ? [...schema.properties.map(({ name }) => name), ...schema.withheld.map((name) => `${name}*`)]
        : []
  const byId = new Map(
    model.controllers.map(({ id, actions }) => [id, names(actions[0]?.results[0]?.schema).join(' ')]),
  )
  const telling = documents.filter(({ text }) => /\b(?:my_)?hash\b/.test(text)).map(({ path }) => path)
  return [...cases.map((_case, index) => byId.get(`case${index}`) ?? ''), ...telling]
}

const expected = (cases: readonly Answered[]): readonly string[] => cases.map(([, names]) => names)

t.test('what is kept out of answers is neither answered nor told, however it is written', async (t) => {
  t.strictSame(answered(written), expected(written))
})

t.test('also through inheritance, mapped types, generics and packages', async (t) => {
  t.strictSame(answered(made), expected(made))
})

t.test('what is taken alone has a form of its own', async (t) => {
  const both = compiled(
    'export class User { @Exclude({ toPlainOnly: true }) password = ""; id = 1 }',
    `${get('User')}
/** Adds.
 * @post / */
add(user: Body<User>): User[] { return [user] }`,
  )
  t.strictSame(said(both), [])
  const schemas = both.model.schemas.map(({ name, schema }) => [
    name,
    schema.kind === 'object' ? schema.properties.map((item) => item.name) : null,
  ])
  t.strictSame(schemas, [
    ['User', ['password', 'id']],
    ['UserAnswer', ['id']],
  ])
  const openapi = both.files.find(({ path }) => path === 'generated/openapi.yml')?.text ?? ''
  t.match(openapi, /password:\n\s+type: string\n\s+x-acmcp-secret: true\n\s+writeOnly: true\n/)
})

t.test('a decorator that nobody reads is a warning at its place, once', async (t) => {
  const types = `@Entity()
export class Order {
  @IsEmail() @Length(3) mail = ''
  @Column() id = 1
  @Transform(() => 1) at = ''
  @Expose({ name: 'total' }) sum = 1
  @Exclude({ toClassOnly: true }) role = ''
  constructor(@Min(1) readonly count: number, readonly none: number) {}
  @Expose() get all(): number { return 1 }
  @ApiProperty() get more(): number { return 1 }
}
export class Sub extends Order { @IsOptional() extra?: string }
export class Unread { @Min(1) count = 1 }`
  const members = `${get('Partial<Sub>')}
/** Lists.
 * @get /all */
all(): Order[] { return [] }
/** Foreign.
 * @get /foreign */
foreign(): Foreign { return new Foreign() }`
  const told = (name: string): string => `@${name} has no effect: acmcp does not read it`
  t.strictSame(said(compiled(types, members)), [
    `ACM179 warning 7:1 ${told('Entity')}`,
    `ACM179 warning 9:3 ${told('IsEmail')}`,
    `ACM179 warning 9:14 ${told('Length')}`,
    `ACM179 warning 10:3 ${told('Column')}`,
    `ACM179 warning 11:3 ${told('Transform')}`,
    `ACM179 warning 12:3 ${told('Expose')}`,
    `ACM179 warning 13:3 ${told('Exclude')}`,
    `ACM179 warning 14:15 ${told('Min')}`,
    `ACM179 warning 16:3 ${told('ApiProperty')}`,
    `ACM179 warning 18:34 ${told('IsOptional')}`,
    `ACM179 warning node_modules/people/people.ts:3:24 ${told('Min')}`,
  ])
  t.ok(
    compiled(types, members, true).diagnostics.every(({ severity }) => severity === 'error'),
    'with --strict',
  )
})

t.test('what is taken without a name that @Exclude() keeps out is a warning', async (t) => {
  const types = 'export class User { @Exclude() password!: string; id = 1 }'
  const members = `/** Adds.\n * @post / */\nadd(user: Body<Pick<User, 'password' | 'id'>>): number { return user.id }`
  t.strictSame(said(compiled(types, members)), [
    "ACM344 warning 12:5 'user' of add() does not take password: @Exclude() keeps it out of what is read, too",
  ])
})

t.test('what is rendered must say its type where something of it stays inside', async (t) => {
  const types = 'export class User { @Exclude() hash = ""; id = 1 }\nconst user = new User()'
  const render = (tags: string, body: string, type = ''): string =>
    `/** Shows.\n * @get /\n${tags} */\nshow()${type} { ${body} }`
  const at = (members: string): readonly string[] => said(compiled(types, members))
  const message =
    'render() sends json with hash, which nobody may be answered, and the method does not say the type'
  t.strictSame(at(render('', 'return this.render({ json: user })')), [`ACM345 error 14:17 ${message}`])
  t.strictSame(at(render('', 'return this.render({ json: { of: [user] } })')), [
    `ACM345 error 14:17 ${message}`,
  ])
  t.strictSame(at(render(' * @returns {User} 200 one', 'return this.render({ json: user })')), [])
  t.strictSame(at(render('', 'return this.render({ json: user })', ': User | Rendered')), [])
  t.strictSame(at(render('', 'return this.render({ json: { id: user.id } })')), [])
})

t.test('types of typebox and io-ts say nothing of their rules, which is told', async (t) => {
  const types = `import { Obj, type Static } from '@sinclair/typebox'
export const Order = Obj({ id: 1 })
export type Order = Static<typeof Order>`
  const add = (type: string): string =>
    `/** Adds.\n * @post / */\nadd(order: Body<${type}>): number { return order.id }`
  const message =
    "the rules of Order do not count: 'Static<typeof Order>' is its type alone, and acmcp cannot run it"
  t.strictSame(said(compiled(types, add('Static<typeof Order>'))), [`ACM180 warning 14:17 ${message}`])
  t.strictSame(said(compiled(types, add('Order'))), [`ACM180 warning 9:21 ${message}`])
})

t.test('schemas inside of what is taken, and those of a class, are told once, at their places', async (t) => {
  const types = `import { Obj, type Static } from '@sinclair/typebox'
export const Line = Obj({ id: 1 })
export interface Order { lines: Static<typeof Line>[] }
export class Dto { static schema = Obj({ id: 1 }); id = 1 }
const all = { of: Obj({ id: 1 }) }`
  const two = (type: string, body = 'throw new Error()'): string =>
    `/** Adds.\n * @post / */\nadd(it: Body<${type}>): void { ${body} }\n/** Sets.\n * @put / */\nset(it: Body<${type}>): void { ${body} }`
  const lost = (at: string, schema: string, written: string): string =>
    `ACM180 warning ${at} the rules of ${schema} do not count: '${written}' is its type alone, and acmcp cannot run it`
  t.strictSame(said(compiled(types, two('Order'))), [lost('9:33', 'Line', 'Static<typeof Line>')])
  t.strictSame(said(compiled(types, two('Order', 'void [it, Line]'))), [], 'the method runs it')
  t.strictSame(said(compiled(types, two('{ all: Dto[] }'))), [lost('10:14', 'Dto.schema', 'Dto')])
  t.strictSame(said(compiled(types, two('Static<typeof all.of>'))), [
    lost('16:14', 'all.of', 'Static<typeof all.of>'),
    lost('19:14', 'all.of', 'Static<typeof all.of>'),
  ])
  t.strictSame(said(compiled(types, get('Order'))), [], 'what is answered follows no rules')
})

t.test('a decorator of a property whose type is taken is told', async (t) => {
  const types = "export class User { @Length(1) name = '' }\nexport interface Named { name: User['name'] }"
  t.strictSame(said(compiled(types, '/** Adds.\n * @post / */\nadd(it: Body<Named>): void {}')), [
    'ACM179 warning 7:21 @Length has no effect: acmcp does not read it',
  ])
})
