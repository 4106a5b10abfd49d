/** The scopes of `defineApp({ scopes })`, as the build reads them without running the application. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { type Files, memoryHost, notesWith } from '../support/memory-host.ts'

/** Uses every scope of the tests, so that no other rule speaks. */
const notes = notesWith('  /**\n   * Shows.\n   *\n   * @get /\n   */\n  show(): string { return "" }')

const config = (provided: string, head = ''): Files => ({
  ...notes,
  'app/config.ts': `import { defineApp } from 'acmcp'\n${head}export const config: object = defineApp(${provided})\n`,
})

/** `name (sensitive) (mayHave): text > implied`, one a scope. */
function declared(files: Files): readonly string[] {
  return compile(memoryHost(files)).model.scopes.map(({ name, text, implies, sensitive, hasMayHave }) =>
    [
      `${name}: ${text}`,
      ...(sensitive ? ['sensitive'] : []),
      ...(hasMayHave ? ['mayHave'] : []),
      ...implies.map((scopeName) => `> ${scopeName.name}`),
    ].join(' '),
  )
}

/** `file:line:column code: message | hint`, but for what nobody uses. */
const reported = (files: Files): readonly string[] =>
  compile(memoryHost(files))
    .diagnostics.filter(({ code }) => code !== 'ACM233')
    .map(({ code, at, message, hint }) => `${at.file}:${at.line}:${at.column} ${code}: ${message} | ${hint}`)

const expected = [
  'read: See notes',
  'write: Add notes mayHave > read',
  'delete: Delete notes sensitive > read > write',
]

const inline = `{
  read: 'See notes',
  write: { text: 'Add notes', implies: ['read'], mayHave: () => true },
  'delete': { text: 'Delete notes', sensitive: true, implies: ['read', 'write'] },
}`

const ways: readonly (readonly [what: string, files: Files])[] = [
  ['a literal', config(`{ scopes: ${inline} }`)],
  ['a constant', config('{ scopes }', `const scopes = ${inline}\n`)],
  ['`as const`', config('{ scopes: scopes }', `const scopes = ${inline} as const\n`)],
  ['`satisfies`', config(`({ scopes: (${inline} satisfies object) } as object)`)],
  ['a constant with a type', config('{ scopes }', `const scopes: Record<string, unknown> = ${inline}\n`)],
  ['a constant of a whole configuration', config('whole', `const whole = { scopes: ${inline} }\n`)],
  [
    'a configuration spread over another',
    config(
      '{ ...first, ...whole, mcp: {} }',
      `const first = { scopes: {} }, whole = { scopes: ${inline} }\n`,
    ),
  ],
  [
    'an import from another file, under another name',
    {
      ...config('{ scopes }', "import { all as scopes } from './scopes.ts'\n"),
      'app/scopes.ts': `export const all = ${inline}\n`,
    },
  ],
  [
    'a namespace that is imported',
    {
      ...config('{ scopes: words.all }', "import * as words from './scopes.ts'\n"),
      'app/scopes.ts': `export const all = ${inline}\n`,
    },
  ],
  [
    'spread constants, a later one over an earlier one',
    config(
      '{ scopes: { ...mine, ...yours, "delete": last.of } }',
      `const mine = { read: 'Read', write: 'Write' }
const yours = { read: 'See ' + 'notes', write: { text: \`Add \${'notes'}\`, implies: [...['read']], mayHave() { return true } } }
const sensitive = true
const last = { of: { text: 'Delete notes', sensitive, implies: Object.freeze(['read', 'write'] as const) } }
`,
    ),
  ],
  [
    'names that are constants, of keys and of what is implied',
    config(
      `{ scopes: { [read]: 'See notes', [names.write]: { text: 'Add notes', implies: [read], mayHave },
  ['del' + 'ete']: { text: 'Delete notes', implies: [read, names['write']], sensitive: !!1 as true } } }`,
      "const read = 'read', names = { write: 'write' }\nfunction mayHave(): boolean { return true }\n",
    ),
  ],
  [
    'enums, and functions that say literals',
    config(
      "{ scopes: { [Scope.Read]: text('See notes'), [Scope.Write]: { text: text('Add notes'), implies: [Scope.Read], mayHave() { return true } }, [Scope.Delete]: deleting() } }",
      `enum Scope { Read = 'read', Write = 'write', Delete = 'delete' }
const text = <const T extends string>(it: T): T => it
const deleting = () => ({ text: 'Delete notes', sensitive: true, implies: [Scope.Read, Scope.Write] }) as const
`,
    ),
  ],
  [
    'what a package says in types',
    {
      ...config('{ scopes }', "import { scopes } from 'words'\n"),
      'node_modules/words/package.json': '{"name":"words","types":"index.d.ts"}',
      'node_modules/words/index.d.ts': `export declare const scopes: {
  readonly read: 'See notes'
  readonly write: { readonly text: 'Add notes'; readonly implies: readonly ['read']; readonly mayHave: () => boolean }
  readonly delete: { readonly text: 'Delete notes'; readonly implies: readonly ['read', 'write']; readonly sensitive: true }
}\n`,
    },
  ],
]

for (const [what, files] of ways) {
  t.test(`declaring: scopes are read from ${what}`, async (t) => {
    t.strictSame([declared(files), reported(files)], [expected, []])
  })
}

t.test('declaring: what is absent is absent', async (t) => {
  for (const provided of ['{}', '{ scopes: {} }', '{ scopes: undefined }', '{ ...other }']) {
    const files = config(provided, 'const other: { mcp?: object } = {}\n')
    t.strictSame([declared(files), reported(files)], [[], []], provided)
  }
  const plain = config(
    '{ scopes: { read: { text: "See", implies: undefined, sensitive: false, mayHave: undefined } } }',
  )
  t.strictSame([declared(plain), reported(plain)], [['read: See'], []])
})

const hint = 'Write literals, or constants that are literals.'

t.test(
  'declaring scopes: what cannot be read is told at its place, and nothing follows from it',
  async (t) => {
    const files = config(
      `{ scopes: {
  read: text(),
  write: { text: text(), implies: names(), sensitive: process.env.OPEN === '1' },
  delete: { text: 'Delete', implies: ['read', text()], implied: [], sensitiv: true },
  change: { implies: [] },
} }`,
      "declare const process: { env: Record<string, string> }\nconst text = (): string => 'See'\nconst names = (): string[] => []\n",
    )
    t.strictSame(declared(files), ['read: ', 'write: ', 'delete: Delete > read', 'change: '])
    t.strictSame(
      reported(files),
      [
        '6:9 ACM172: the scope read',
        '7:18 ACM172: the text of the scope write',
        '7:35 ACM172: what the scope write implies',
        '7:55 ACM172: whether the scope write is sensitive',
        '8:47 ACM172: what the scope delete implies',
        '9:11 ACM172: the text of the scope change',
      ].map(
        (text) =>
          `app/config.ts:${text.includes('|') ? text : `${text} cannot be read without running the application | ${hint}`}`,
      ),
    )
  },
)

t.test('declaring: without the names no scope of a route is called undeclared', async (t) => {
  const tagged = notesWith(
    '  /**\n   * Shows.\n   *\n   * @get /\n   * @scope read\n   */\n  show(): string { return "" }',
  )
  const head = 'declare const all: Record<string, string>, name: string\nlet changed = { read: "See" }\n'
  const unreadable = 'cannot be read without running the application'
  for (const [provided, place] of [
    ['all', '4:51'],
    ['{ ...all }', '4:56'],
    ['{ [name]: "See" }', '4:53'],
  ] as const) {
    const files = { ...config(`{ scopes: ${provided} }`, head), ...tagged }
    t.strictSame(
      reported(files),
      [`app/config.ts:${place} ACM172: the scopes ${unreadable} | ${hint}`],
      provided,
    )
  }
  const files = { ...config('{ scopes: changed }', head), ...tagged }
  t.strictSame(reported(files), [`app/config.ts:3:17 ACM172: the scope read ${unreadable} | ${hint}`])
})

t.test('declaring: what goes round in circles ends', async (t) => {
  const files = config('{ scopes: { read: one } }', 'const one: string = two\nconst two: string = one\n')
  t.match(reported(files)[0], /^app\/config\.ts:4:41 ACM160: /)
})
