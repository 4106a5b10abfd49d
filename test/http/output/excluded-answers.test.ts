/** `@Exclude()` and its like: nobody is answered the property, whatever the entrance, and no document tells it. Source:
 *  decisions/compiler.md, Decorators of other libraries. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openTestApp, type TestClient } from '../../../runtime/testing.ts'
import { builtFolder } from '../../support/linked.ts'

const decorator = 'export const NAME = () => () => {}\n'
const declared = 'export declare const NAME: (...options: unknown[]) => PropertyDecorator & ClassDecorator\n'
const library = (name: string, exported: readonly string[]): Readonly<Record<string, string>> => ({
  [`node_modules/${name}/package.json`]: `{"name":"${name}","type":"module","exports":{"types":"./index.d.ts","default":"./index.js"}}`,
  [`node_modules/${name}/index.js`]: exported.map((item) => decorator.replace('NAME', item)).join(''),
  [`node_modules/${name}/index.d.ts`]: exported.map((item) => declared.replace('NAME', item)).join(''),
})

const people = `import { ApplicationController, type Body, type DateTime, type Email, type Url } from 'acmcp'
import { Column, Exclude, Expose, ApiHideProperty } from './library.ts'
import * as transformer from 'class-transformer'
import { Exclude as Hidden } from 'class-transformer'

export class Person {
  name = 'Ann'
  @Exclude() passwordHash = 'LEAK'
  @Hidden() second = 'LEAK'
  @transformer.Exclude() third = 'LEAK'
  @Exclude({ toPlainOnly: true }) password = 'LEAK'
  @Expose({ groups: ['admin'] }) salary = 'LEAK'
  @ApiHideProperty() internal = 'LEAK'
  @Column({ select: false }) pin = 'LEAK'
  constructor(@Exclude() public key = 'LEAK') {}
}

export class Member extends Person {
  level = 1
}

@Exclude()
export class Account {
  @Expose() id = 1
  secretOfAll = 'LEAK'
}

@Exclude()
export class Sub extends Member {
  @Expose() shown = true
}

export interface Other {
  name: string
  passwordHash: string
  id: number
}

export class Box<T> {
  @Exclude() hidden = 'LEAK'
  constructor(readonly value: T) {}
}

export interface NewPerson {
  name: string
}

export class Broken extends Error {
  @Exclude() detail = 'LEAK'
  code = 7
}

const ann = new Person()
type Renamed<T> = { [K in keyof T as \`my_\${string & K}\`]: T[K] }

/**
 * People.
 *
 * @base /people
 */
export class People extends ApplicationController {
  /**
   * One.
   *
   * @get /one
   * @mcp root
   * @mcp resource
   */
  one(): Person { return ann }

  /** @get /list */
  list(): Person[] { return [new Member()] }

  /** @get /member */
  member(): Member { return new Member() }

  /** @get /account */
  account(): Account { return new Account() }

  /** @get /sub */
  sub(): Omit<Sub, 'level'> { return new Sub() }

  /** @get /map */
  map(): Map<string, Person> { return new Map([['a', ann]]) }

  /** @get /mapped */
  mapped(): { omit: Omit<Person, 'name'>; pick: Pick<Person, 'passwordHash' | 'name'>; part: Partial<Person>; readonly: Readonly<Person>; both: Person & { more: string } } {
    return { omit: ann, pick: ann, part: ann, readonly: ann, both: { ...ann, more: 'x' } }
  }

  /** @get /open */
  open(): Person & { [name: string]: unknown } { return { ...ann, extra: true } }

  /** @get /renamed */
  renamed(): Renamed<Person> {
    return Object.fromEntries(Object.entries(ann).map(([name, value]) => ['my_' + name, value])) as never
  }

  /** @get /box */
  box(): Box<Person> { return new Box(ann) }

  /** @get /either */
  either(): Person | Other { return { ...ann, id: 1 } }

  /** @get /nested */
  nested(): { of: { person: Person } | { person: Other; more: number } } { return { of: { person: { ...ann, id: 1 }, more: 1 } } }

  /** @get /spread */
  spread() { return { ...ann, more: 1 } }

  /** @get /inferred */
  inferred() { return { hash: ann.passwordHash, name: ann.name } }

  /** @get /rendered
   * @returns {Person} 202 one */
  rendered() { return this.render({ status: 202, json: ann }) }

  /** @get /elsewhere
   * @returns {Person} 202 one */
  elsewhere() { return this.render({ status: 200, json: ann }) }

  /** @get /events */
  async *events(): AsyncGenerator<Person> { yield ann }

  /** @get /broken */
  broken(): string { throw new Broken('no') }

  /** @get /caf%c3%A9/%7eann/:id */
  cafe(id: string): string { return id }

  /** @get /100%25/%2525%5b%20%f0%9f%98%80 */
  percent(): string { return 'percent' }

  /** @get /when */
  when(at?: DateTime, by?: Email, of?: Url): string { return [at, by, of].join() }

  /** @exception {Broken} 418 */
  onBroken(error: Broken): Broken { return error }

  /**
   * Adds one.
   *
   * @post /
   */
  add(person: Body<Omit<Person, 'passwordHash' | 'second' | 'third' | 'salary' | 'internal' | 'key'>>): string {
    return person.password
  }
}
`

const folder = await builtFolder({
  'package.json': '{"name":"people","version":"1.0.0","private":true,"type":"module"}',
  'tsconfig.json':
    '{"compilerOptions":{"experimentalDecorators":true,"module":"nodenext","target":"es2022","strict":true}}',
  ...library('class-transformer', ['Exclude', 'Expose']),
  ...library('@nestjs/swagger', ['ApiHideProperty']),
  ...library('typeorm', ['Column']),
  'app/config.ts': `import { defineApp } from 'acmcp'
export const config = defineApp({
  mcp: { serverName: 'People' },
  verifyToken: async (token) =>
    token === 'foreign' ? { user: { id: 'f', name: 'Foreign', email: null }, scopes: ['api'], expiresAt: 4e12 } : null,
})
`,
  'app/controllers/library.ts': `export { Exclude, Expose } from 'class-transformer'
export { ApiHideProperty } from '@nestjs/swagger'
export { Column } from 'typeorm'
`,
  'app/controllers/people.ts': people,
})

const open = async (config: object = {}) => {
  const app = await openTestApp({
    cwd: folder,
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), ...config } }), // a plain object
  })
  t.teardown(app.close)
  return app
}

const app = await open()
const browser = app.client()
await browser.signIn()
const clients: readonly TestClient[] = [
  app.client(),
  browser,
  app.client().withBearer('foreign'),
  app.client().withBearer(await app.accessToken()),
]

const answers: Readonly<Record<string, unknown>> = {
  one: { name: 'Ann' },
  list: [{ name: 'Ann' }],
  member: { name: 'Ann', level: 1 },
  account: { id: 1 },
  sub: { shown: true },
  map: { a: { name: 'Ann' } },
  mapped: {
    omit: {},
    pick: { name: 'Ann' },
    part: { name: 'Ann' },
    readonly: { name: 'Ann' },
    both: { name: 'Ann', more: 'x' },
  },
  open: { name: 'Ann', extra: true },
  renamed: { my_name: 'Ann' },
  box: { value: { name: 'Ann' } },
  either: { name: 'Ann', id: 1 },
  nested: { of: { person: { name: 'Ann', id: 1 }, more: 1 } },
  spread: { name: 'Ann', more: 1 },
  inferred: { name: 'Ann' },
  rendered: { name: 'Ann' },
  elsewhere: { name: 'Ann' },
}

t.test('no caller is answered it, over HTTP or by tool', async (t) => {
  for (const client of clients) {
    for (const [name, expected] of Object.entries(answers)) {
      t.strictSame((await client.get(`/people/${name}`)).json(), expected, name)
      t.notMatch(JSON.stringify(await client.tool(`people_${name}`)), /LEAK/, name)
    }
    for (const [path, accept] of [
      ['events', 'text/event-stream'],
      ['one', 'application/yaml'],
      ['broken', '*/*'],
    ] as const) {
      const { body } = await client.get(`/people/${path}`, { accept })
      t.match(body, /Ann|7/)
      t.notMatch(body, /LEAK/, path)
    }
  }
})

t.test("with `answers: 'whole'` and `secrets: 'tools'` too", async (t) => {
  const whole = await open({ answers: 'whole', secrets: 'tools' })
  for (const name of Object.keys(answers).filter((each) => each !== 'mapped')) // Pick says nothing of what it leaves out
    t.notMatch((await whole.client().get(`/people/${name}`)).body, /LEAK/, name)
})

t.test('what is taken alone is taken', async (t) => {
  const json = { name: 'Bob', password: 'pw', pin: '1' }
  t.equal((await app.client().json('/people', json)).json(), 'pw')
})

t.test('it stands in no document', async (t) => {
  for (const file of ['openapi.yml', 'mcp.yml']) {
    const text = readFileSync(join(folder, 'generated', file), 'utf8')
    t.strictSame(
      text.match(/\b(?:my_)?(?:second|third|salary|internal|key|secretOfAll|hidden|detail)\b:?/g) ?? [],
      [],
      file,
    )
  }
})

t.test('a literal of a path is compared decoded, and documented in one form', async (t) => {
  for (const path of ['caf%C3%A9/~ann', 'caf%c3%a9/%7Eann', 'caf\u00e9/~ann'])
    t.equal(
      (await app.client().get(encodeURI(`/people/${path}/a%2Fb`).replaceAll('%25', '%'))).json(),
      'a/b',
      path,
    )
  const written =
    /\/people(\/100%25.*):/.exec(readFileSync(join(folder, 'generated/openapi.yml'), 'utf8'))?.[1] ?? ''
  for (const path of [written, written.toLowerCase(), `${written}/`])
    t.equal((await app.client().get(`/people${path}`)).json(), 'percent', path)
  t.equal((await app.client().json(`/people${written}`, {})).statusCode, 405, 'the address is known')
  t.strictSame((await app.client().tool('people_percent')).structuredContent, { result: 'percent' })
  t.strictSame((await app.client().tool('people_cafe', { id: 'x' })).structuredContent, { result: 'x' })
  t.match(readFileSync(join(folder, 'generated/openapi.yml'), 'utf8'), '/people/caf%C3%A9/~ann/{id}:')
})

t.test('decisions, names: the restriction of a text with a format is its type', async (t) => {
  for (const [name, restriction] of [
    ['at', 'DateTime'],
    ['by', 'Email'],
    ['of', 'Url'],
  ] as const)
    t.match((await app.client().get(`/people/when?${name}=no`)).json(), { parameter: name, restriction })
})
