/** What clients take (`cli/dialects/clients.ts`): no list of ours has what one of them refuses, and a name that had to change finds its
 *  way back. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { clientRules } from '../../../cli/dialects/clients.ts'
import { judge } from '../../../cli/dialects/judge.ts'
import type { Catalogue } from '../../../runtime/contract/mcp.ts'
import { loadCatalogue } from '../codecs/printed.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'
import { judged } from '../support/samples.ts'
import { refusedLists } from './judge.ts'
import { zooFiles } from './zoo.ts'

t.setTimeout(120_000)

function catalogueOf(files: Files): Catalogue {
  const { catalogue, diagnostics } = compile(memoryHost(files))
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Error(JSON.stringify(errors))
  return loadCatalogue(catalogue)
}

t.test('each rule says where it is written', async (t) => {
  t.strictSame(
    clientRules.filter(({ source }) => !/^[a-z.]+\.(com|io)\/|wiki/.test(source)),
    [],
  )
  const clients = new Set(clientRules.map(({ client }) => client))
  t.strictSame([...clients].sort(), ['Anthropic', 'Claude Code', 'Cursor', 'Gemini', 'OpenAI', 'VS Code'])
})

t.test('decisions, what is listed: no client refuses a list of the zoo', async (t) => {
  t.strictSame(refusedLists(catalogueOf(zooFiles)), [])
})

t.test('the table finds what clients refuse', async (t) => {
  const inputSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      'filter[state]': { type: 'object' },
      at: { type: 'array', prefixItems: [{ type: 'number' }] },
      one: { $ref: '#/$defs/One', minimum: 1 },
      top: { type: 'integer', 'x-mcp-header': 'Top' },
    },
    anyOf: [{}],
    $defs: { One: { type: 'integer' } },
  }
  const tools = [{ name: 'a'.repeat(65), description: 'b'.repeat(1025), inputSchema }]
  const found = judge({ tools, serverName: 'shop', era: 'initialize', answerChars: 60_000 }).map(
    ({ rule, what }) => `${rule.client}: ${what}`,
  )
  t.strictSame(
    found.map((line) => line.replace('a'.repeat(65), 'tool')),
    [
      'Anthropic: tool its name does not match ^[a-zA-Z0-9_-]{1,64}$',
      'OpenAI: tool its name does not match ^[a-zA-Z0-9_-]{1,64}$',
      'Gemini: tool its name does not match ^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$',
      'Anthropic: tool : key "filter[state]"',
      'Gemini: tool : key "filter[state]"',
      'OpenAI: tool /properties/filter[state]: no properties',
      'OpenAI: tool /properties/at: no items',
      'Gemini: tool /properties/at: no items',
      'VS Code: tool /properties/at: no items',
      'Anthropic: tool anyOf',
      'OpenAI: tool anyOf',
      'Gemini: tool : $schema',
      'Gemini: tool /properties/top: x-mcp-header',
      'Gemini: tool /properties/one: beside $ref',
      'Gemini: tool $defs/One: used 1 times',
      'OpenAI: tool its description has 1025 characters, 1024 fit',
      'Cursor: tool its name with that of the server, shop, has 70 characters, 60 fit',
      'Claude Code: answers of up to 60000 characters (mcp.answerChars)',
    ],
  )
})

const method = (parameters: string, rest = ''): string =>
  `/**\n * Takes some.\n *\n * @get /\n * ${rest}\n */\nfind(${parameters}): string[] { return [] }\n`
const codes = (sample: string): readonly string[] => judged(sample).map(({ code }) => code)

t.test('names that would be equal, and that clients leave out, are told', async (t) => {
  const two = (first: string, second: string): string =>
    method(`a?: Named<'${first}', string>, b?: Named<'${second}', string>`)
  t.strictSame(codes(two('filter[a]', 'filter.a')), ['ACM370'])
  t.strictSame(codes(two('filter[a]', 'filter_a')), ['ACM370'])
  t.strictSame(codes(two('größe', 'grösse')), ['ACM370'])
  t.strictSame(codes(two('x'.repeat(70), `${'x'.repeat(70)}y`)), ['ACM370'])
  t.strictSame(codes(two('filter[a]', 'filter[b]')), [])
  t.strictSame(codes(two('名前', '住所')), [])
  t.strictSame(codes(method('order?: { "a b": string; a_b: string }')), ['ACM370'])
  t.strictSame(codes(method('', `@mcp name=${'n'.repeat(55)}`)), ['ACM372'])
  t.strictSame(codes(method('', `@mcp name=${'n'.repeat(54)}`)), [])
})

const controller = (
  text: string,
  tag = '@get',
  doc = '/** Who is signed in. */',
): string => `// app/controllers/sessions.ts
import { Controller } from 'acmcp'
import { db, sql } from '../db.ts'

${doc}
export class Sessions extends Controller {
  /**
   * Does something.
   *
   * ${tag} /
   */
  ${text}
}
// app/db.ts
export const sql = (...parts: unknown[]): number => parts.length
export const db = { query: (text: string) => text.length, $executeRaw: (...parts: unknown[]) => parts.length, user: { create: (n: number) => n, findOneAndUpdate: (n: number) => n, find: (n: number) => n }, hash: new Map<string, number>() }
`

t.test('a GET that writes is told at the call, unless its author says so', async (t) => {
  const found = (body: string, tag?: string): readonly string[] =>
    judged(controller(`run(): number { ${body} }`, tag)).map(({ code, at }) => `${code} ${at.line}`)
  t.strictSame(found('return db.user.create(1)'), ['ACM373 11'])
  t.strictSame(found('return [1].map((n) => db.user.create(n)).length'), ['ACM373 11'])
  t.strictSame(found("return db.user['create'](1)"), ['ACM373 11'])
  t.strictSame(found('return db.user.findOneAndUpdate(1)'), ['ACM373 11'])
  for (const body of [
    'return db.user.create!(1)',
    'return (db.user.create)(1)',
    'return db.user.create.call(db.user, 1)',
    "return db.query('INSERT INTO orders VALUES (1)')",
    "return db.query('  delete from orders where id = 1')",
    'return db.query(`UPDATE orders SET a = 1`)',
    'return db.$executeRaw`UPDATE orders`',
    'return sql`DELETE FROM orders`',
  ])
    t.strictSame(found(body), ['ACM373 11'], body)
  for (const body of [
    "return db.query('SELECT * FROM orders')",
    "return db.query('Delete from the cart')",
    "return db.query('update')",
    'return sql`SELECT 1`',
    'return db.user.find.call(db.user, 1)',
  ])
    t.strictSame(found(body), [], body)
  t.strictSame(found("return db.user['find'](1)"), [])
  t.strictSame(found("db.hash['delete']('a'); return 1"), [])
  t.strictSame(found('return db.user.find(1)'), [])
  t.strictSame(found("db.hash.delete('a'); return 1"), [])
  t.strictSame(found('return db.user.create(1)', '@post'), [])
  t.strictSame(found('return db.user.create(1)', '@mcp readOnly=false\n   * @get'), [])
  t.strictSame(found('return db.user.create(1)', '@mcp hide\n   * @get'), [])
})

t.test('credentials in a tool, and a toolbox without a text, are told', async (t) => {
  const found = (text: string, tag?: string): readonly string[] =>
    judged(controller(text, tag)).map(({ code, message }) => `${code} ${message.replace(/.*: /, '')}`)
  const takes = (name: string, type = 'string'): readonly string[] =>
    found(`run(${name}: ${type}): string { return String(db) + ${name} }`, '@param x - y\n   * @post').filter(
      (line) => line.startsWith('ACM374'),
    )
  for (const name of [
    'password',
    'apiKey',
    'api_key',
    'client_secret',
    'refreshToken',
    'passwordHash',
    'jwt',
    'pinCode',
    'cvv',
    'mfa_code',
    'recoveryPhrase',
    'apiKeys',
    'backup_codes',
    'userpassword',
    'accesstoken',
    'pwd',
    'pin',
    'totpSecret',
    'verificationCode',
  ])
    t.strictSame(takes(name), [`ACM374 '${name}' of its argument`], name)
  for (const name of [
    'pageToken',
    'nextPageToken',
    'page_token',
    'tokenType',
    'secretary',
    'pinned',
    'shippingCode',
    'pinId',
    'accessKeyId',
    'secretNames',
    'countryCode',
    'promoCode',
    'tokenized',
    'keyboard',
    'tokens',
  ])
    t.strictSame(takes(name), [], name)
  t.strictSame(takes('hasPassword', 'boolean'), [])
  t.strictSame(takes('tokens', 'number'), [])
  const answers = 'run(): { user: { accessToken: string }[]; token_type: string } { return Object(db) }'
  t.strictSame(found(answers, '@post'), ["ACM374 'accessToken' of its answer"])
  t.strictSame(found(answers, '@mcp hide\n   * @post'), [])
  t.strictSame(found(answers, '@mcp show\n   * @post'), [])
  const described = (doc: string): readonly string[] =>
    judged(controller('run(): number { return db.user.find(1) }', '@get', doc)).map(({ code }) => code)
  for (const doc of [
    '',
    '/** Sessions. */',
    '/** sessions */',
    '/** The sessions. */',
    '/** The `Sessions` controller. */',
    '/** **SESSIONS!** */',
    '/** Session */',
    '/** This is the sessions toolbox. */',
    '/** All sessions. */',
    '/** Sessions API endpoints */',
    '/** … */',
  ])
    t.strictSame(described(doc), ['ACM375'], doc)
  for (const doc of [
    '/** Sessions of browsers. */',
    '/** Open sessions. */',
    '/** Wer da ist. */',
    '/** 会話 */',
  ])
    t.strictSame(described(doc), [], doc)
  t.strictSame(
    judged(controller('run(): number { return db.user.find(1) }', '@mcp root\n   * @get', '')).map(
      ({ code }) => code,
    ),
    [],
  )
})

const schemaOf = (type: string, more = ''): unknown => {
  const method = `/**\n   * Takes one.\n   *\n   * @post /\n   */\n  run(given: Body<${type}>): void { void given }`
  const files = {
    'package.json': '{"name":"a","version":"1.0.0"}',
    'app/config.ts': "import { defineApp } from 'acmcp'\nexport const config = defineApp({})\n",
    'app/controllers/a.ts': `import { type Body, Controller } from 'acmcp'\n${more}\n/** A. */\nexport class A extends Controller {\n  ${method}\n}\n`,
  }
  const { inputSchema } = Object(catalogueOf(files).tools[0])
  return inputSchema.$defs === undefined ? inputSchema.properties.given : inputSchema
}

t.test('items of a tuple are an object and true of each member', async (t) => {
  const [number, string] = [{ type: 'number' }, { type: 'string' }]
  const v = (type: string): unknown => Object(schemaOf(`{ v: ${type} }`)).properties.v
  t.strictSame(v('[number, number]'), { type: 'array', items: number, minItems: 2, maxItems: 2 })
  const both = { anyOf: [number, string] }
  t.strictSame(v('[number, string]'), {
    type: 'array',
    items: both,
    minItems: 2,
    maxItems: 2,
    prefixItems: [number, string],
  })
  t.strictSame(v('[number, ...string[]]'), {
    type: 'array',
    items: both,
    minItems: 1,
    anyOf: [{ prefixItems: [number], items: string }],
  })
  t.strictSame(v('[]'), { type: 'array', items: {}, minItems: 0, maxItems: 0 })
})

t.test('types stand in place where they are used once or small, else below $defs', async (t) => {
  const size = "/** How large. */\nexport type Size = 'small' | 'large'\n"
  t.strictSame(schemaOf('{\n/** Of the box. */\nsize: Size }', size), {
    type: 'object',
    properties: {
      size: { type: 'string', enum: ['small', 'large'], description: 'Of the box.\n\nHow large.' },
    },
    required: ['size'],
    additionalProperties: false,
  })
  const many = Array.from({ length: 20 }, (_, n) => `property${n}: string`).join('; ')
  const big = `export interface Big { ${many} }\n`
  const defs = (schema: unknown): readonly string[] => Object.keys(Object(Object(schema).$defs))
  t.strictSame(defs(schemaOf('{ one: Big }', big)), [])
  t.strictSame(defs(schemaOf('{ one: Big; two: Big }', big)), ['Big'])
  t.strictSame(defs(schemaOf('{ one: Tree }', `${size}export interface Tree { size: Size; of: Tree[] }\n`)), [
    'Tree',
  ])
})
