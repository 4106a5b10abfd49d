import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { judge, method, short } from '../support/judge.ts'
import { type Files, memoryHost, notesWith } from '../support/memory-host.ts'

/** `code file:line:column` of everything that is reported. */
function found(files: Files): readonly string[] {
  const { diagnostics, files: made } = compile(memoryHost(files))
  const hasError = diagnostics.some(({ severity }) => severity === 'error')
  if (hasError !== (made.length === 0)) throw new Error('files exactly when there is no error')
  return diagnostics.map(({ code, at }) => `${code} ${at.file}:${at.line}:${at.column}`)
}

const notes = 'app/controllers/notes.ts'

const table: readonly (readonly [sentence: string, members: string, expected: readonly string[]])[] = [
  ['a tag in the wrong case', method('@get /\n@MCP hide'), ['ACM110 12:4']],
  ['a near miss with a hyphen', method('@get /\n@mcp-hide'), ['ACM110 12:4']],
  ['a near miss with a dot', method('@get /\n@mcp.hide'), ['ACM110 12:4']],
  ['@Get', method('@Get /'), ['ACM110 11:4']],
  [
    'a tag inside a code fence',
    '/**\n * Shows.\n * ```\n * @mcp hide\n * ```\n */\nshow(): void {}',
    ['ACM112 11:4'],
  ],
  [
    'a tag in a plain comment',
    '// @mcp hide\n/**\n * Shows.\n *\n * @get /\n */\nshow(): void {}',
    ['ACM112 8:4'],
  ],
  ['text after a tag', method('@get /\n\nmore text'), ['ACM111 13:4']],
  [
    'an unresolved exception class',
    method('@exception {Missing} 404', 'on(error: Error): void { void error }'),
    ['ACM116 11:16'],
  ],
  ['spec, Exception handlers 5: a status that is none', method('@get /\n@returns 999 no'), ['ACM115 12:4']],
  ['a path parameter without an argument', method('@get /:id'), ['ACM204 11:4']],
  [
    'a type without a JSON form',
    method('@get /', 'show(): { run: () => void } { return { run() {} } }'),
    ['ACM120 13:11'],
  ],
  ['any', method('@post /', 'show(a: { b: any }): void { void a }'), ['ACM145 13:11']],
  ['a private method with tags', method('@get /', 'private show(): void {}'), ['ACM118 13:9']],
  [
    'spec, Exception handlers 4: an answer that is made but not returned',
    method('@get /', 'show(): void {\nthis.render({ status: 404 })\n}'),
    ['ACM119 14:1'],
  ],
  [
    'spec, Exception handlers 5: a handler without a status (warning)',
    method('@exception {NotFound}', 'on(error: NotFound): void { void error }'),
    ['ACM156 7:14', 'ACM205 11:4'],
  ],
  [
    'spec, Exception handlers 2: a required extra argument of a handler',
    method('@exception {NotFound} 404', 'on(error: NotFound, id: string): void { void [error, id] }'),
    ['ACM156 7:14', 'ACM124 13:21'],
  ],
  ['a tool without a text (warning)', '/** @get / */\nshow(): void {}', ['ACM206 9:1']],
  ['an around filter without next', method('@filter around', 'show(): void {}'), ['ACM123 13:1']],
  ['an unknown parameter name', method('@get /\n@param nope - text'), ['ACM128 12:11']],
  [
    'two routes of one address',
    `${method('@get /a/:x', 'one(x: string): void { void x }')}\n${method('@get /a/:y', 'two(y: string): void { void y }')}`,
    ['ACM201 11:4', 'ACM201 17:4'],
  ],
  [
    'decisions, tool names: two tools of one name',
    `${method('@get /a', 'listOpen(): void {}')}\n${method('@get /b', 'list_open(): void {}')}`,
    ['ACM202 13:1', 'ACM202 19:1'],
  ],
  [
    'decisions, tool names: one that is too long',
    method('@get /', `${'a'.repeat(70)}(): void {}`),
    ['ACM203 13:1'],
  ],
  ['an example that is not JSON', method('@get /\n@mcp example {id}'), ['ACM113 12:4']],
  ['an example of something else', method('@get /\n@mcp example {"id":1}'), ['ACM210 12:4']],
  ['an example of what is no tool', method('@get /\n@mcp hide\n@mcp example {}'), ['ACM212 13:4']],
  [
    'a default that does not fit its type',
    method('@get /', 'show(limit: Int32 = 1.5): void { void limit }'),
    ['ACM211 13:6'],
  ],
  [
    'an enum of numbers, or one in an answer, is fine: it',
    method('@get /', 'show(l: Level): Shade { return l ? Shade.Dark : Shade.Light }'),
    [],
  ],
  [
    'spec, Exception handlers 10: one error class handled twice in one controller',
    `${method('@get /', 'show(): void {}')}\n${method('@exception {NotFound} 404', 'a(error: NotFound): void { void error }')}\n${method('@exception {NotFound} 410', 'b(error: NotFound): void { void error }')}`,
    ['ACM215 23:4'],
  ],
]

const cases = table.map(([sentence, members, expected]) => ({
  sentence,
  members,
  expected,
  after:
    "enum Color { Red = 'red', Blue = 'blue' }\nenum Level { Low, High }\nenum Shade { Dark = 'dark', Light = 'light' }",
}))
const judged = judge(cases)

for (const [index, { sentence, expected }] of cases.entries()) {
  t.test(`${sentence} is reported with its place`, async (t) => {
    t.strictSame(judged[index]?.map(short), expected)
  })
}

t.test('a syntax error is reported with its place', async (t) => {
  t.strictSame(found(notesWith('show( {')), [`ACM102 ${notes}:10:1`])
})

t.test('all mistakes are reported in one run, sorted by file and line', async (t) => {
  const files = {
    ...notesWith(`${method('@MCP hide\n@get /')}\n${method('@get /b', 'b(): symbol { return Symbol() }')}`),
    'app/controllers/a.ts': `import { Controller } from 'acmcp'\nclass A extends Controller {}\n`,
  }
  t.strictSame(found(files), [
    `ACM104 app/controllers/a.ts:2:1`,
    `ACM110 ${notes}:11:4`,
    `ACM120 ${notes}:20:6`,
  ])
})

t.test('an application without controllers or configuration is told so', async (t) => {
  const host = memoryHost({})
  const { diagnostics } = compile({
    ...host,
    fileExists: (path) => path !== '/shop/app/config.ts' && host.fileExists(path),
  })
  t.strictSame(
    diagnostics.map(({ code }) => code),
    ['ACM103', 'ACM101'],
  )
})

t.test('@mcp words of methods on a class are reported', async (t) => {
  const [[path = '', text = '']] = Object.entries(notesWith(method('@get /'))) as [[string, string]] // one file
  t.strictSame(found({ [path]: text.replace('@base', '@mcp example {}\n * @base') }), [`ACM112 ${notes}:5:4`])
})
