/** What a route asks for, of its method and of every class above it, and how the table says it. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { type Files, memoryHost, shop } from '../support/memory-host.ts'

const config = (scopes: string): string =>
  `import { defineApp } from 'acmcp'\nexport const config: object = defineApp({ scopes: ${scopes} })\n`

const routes = (members: readonly (readonly [tags: string, name: string])[]): string =>
  members
    .map(
      ([tags, name]) =>
        `  /**\n   * ${name}.\n   *\n${tags.replace(/^/gm, '   * ')}\n   */\n  ${name}(): void {}\n`,
    )
    .join('\n')

const application: Files = {
  'app/config.ts': config("{ a: 'A', b: 'B', c: 'C', d: 'D', e: 'E' }"),
  'app/roots.ts': `import { Controller } from 'acmcp'
/** @scope b unless=key,session */
export abstract class Root extends Controller {
${routes([['@filter before', 'check']])}
${routes([
  ['@get /inherited', 'inherited'],
  ['@get /inherited/own\n@scope a unless=session', 'inheritedOwn'],
  ['@get /inherited/open\n@scope none', 'inheritedOpen'],
])}
}
`,
  'app/middle.ts': `import { Root } from './roots.ts'
/**
 * @scope d b unless=session,key
 * @scope b unless=session,key
 */
export abstract class Middle extends Root {}
`,
  'app/controllers/leaves.ts': `import { Middle } from '../middle.ts'
/**
 * Leaves.
 *
 * @base /leaves
 * @scope a unless=key,session
 */
export class Leaves extends Middle {
${routes([
  ['@get /\n@post /', 'plain'],
  ['@put /\n@scope c e\n@scope c unless=key', 'own'],
  ['@get /one/?:id\n@scope c unless=session,key', 'one'],
  ['@delete /\n@scope none', 'open'],
  ['@options /', 'preflight'],
  ['@options /own\n@patch /own\n@scope e', 'both'],
]).replace('one()', 'one(id?: string)')}
}
`,
  'app/controllers/stones.ts': `import { Root } from '../roots.ts'
/**
 * Stones.
 *
 * @base /stones
 */
export class Stones extends Root {}
`,
}

/** `VERB path: names | unless`, one a route. */
const requested = (files: Files): readonly string[] =>
  compile(memoryHost(files)).model.controllers.flatMap(({ actions }) =>
    actions.map(({ verb, path, scope }) =>
      scope === null
        ? `${verb} ${path}: nothing`
        : `${verb} ${path}: ${[scope.names.join(' '), ...scope.unless].join(' | ')}`,
    ),
  )

t.test(
  'asking: those of the method and of every class above, in the order of their declaration',
  async (t) => {
    t.strictSame(requested(application), [
      'GET /leaves/inherited: a b d | session | key',
      'GET /leaves/inherited/own: a b d | session',
      'GET /leaves/inherited/open: a b d | session | key',
      'GET /leaves/: a b d | session | key',
      'POST /leaves/: a b d | session | key',
      'PUT /leaves/: a b c d e',
      'GET /leaves/one/:id: a b c d | session | key',
      'GET /leaves/one: a b c d | session | key',
      'DELETE /leaves/: nothing',
      'OPTIONS /leaves/: nothing',
      'OPTIONS /leaves/own: e',
      'PATCH /leaves/own: a b d e',
      'GET /stones/inherited: b | session | key',
      'GET /stones/inherited/own: a b | session',
      'GET /stones/inherited/open: nothing',
    ])
  },
)

t.test('asking: another order of declaration is another order of names', async (t) => {
  const files = { ...application, 'app/config.ts': config("{ e: 'E', d: 'D', c: 'C', b: 'B', a: 'A' }") }
  t.strictSame(
    requested(files),
    requested(application).map((text) => {
      const [route = '', names = '', ...unless] = text.split(/: | \| /)
      const reported = names === 'nothing' ? names : [...names.split(' ')].reverse().join(' ')
      return `${route}: ${[reported, ...unless].join(' | ')}`
    }),
  )
})

t.test(
  'asking: an override without tags asks for what the method above it does, and `none` above a class opens nothing of it',
  async (t) => {
    const files = {
      ...application,
      'app/controllers/stones.ts': `import { Root } from '../roots.ts'
/**
 * Stones.
 *
 * @base /stones
 * @scope e unless=key
 */
export class Stones extends Root {
  /** In another way. */
  override inheritedOwn(): void {}
  override inheritedOpen(): void {}
}
export class Pebbles extends Stones {
  override inherited(): void {}
}
`,
    }
    t.strictSame(requested(files).slice(-6), [
      'GET /pebbles/inherited: b e | key',
      'GET /pebbles/inherited/own: a b e',
      'GET /pebbles/inherited/open: e | key',
      'GET /stones/inherited: b e | key',
      'GET /stones/inherited/own: a b e',
      'GET /stones/inherited/open: e | key',
    ])
  },
)

const table = (files: Files): string => {
  const found = compile(memoryHost(files)).files.find(({ path }) => path === 'generated/routes.ts')
  return found?.text ?? ''
}

t.test('asking: the row of a route says what it asks for, and no other row changes', async (t) => {
  const tagged = table(application)
  const rows = tagged.split('\n').filter((line) => line.includes('scope: '))
  t.strictSame(
    rows.map((row) => /id: '(\w+)'.*, (scope: \{.*?\})/.exec(row)?.slice(1).join(' ')),
    [
      "leaves_inherited scope: { names: ['a', 'b', 'd'], unless: ['session', 'key'] }",
      "leaves_inherited_own scope: { names: ['a', 'b', 'd'], unless: ['session'] }",
      "leaves_inherited_open scope: { names: ['a', 'b', 'd'], unless: ['session', 'key'] }",
      "leaves_plain scope: { names: ['a', 'b', 'd'], unless: ['session', 'key'] }",
      "leaves_plain_post scope: { names: ['a', 'b', 'd'], unless: ['session', 'key'] }",
      "leaves_own scope: { names: ['a', 'b', 'c', 'd', 'e'], unless: [] }",
      "leaves_one scope: { names: ['a', 'b', 'c', 'd'], unless: ['session', 'key'] }",
      "leaves_one_without_id scope: { names: ['a', 'b', 'c', 'd'], unless: ['session', 'key'] }",
      "leaves_both_options scope: { names: ['e'], unless: [] }",
      "leaves_both scope: { names: ['a', 'b', 'd', 'e'], unless: [] }",
      "stones_inherited scope: { names: ['b'], unless: ['session', 'key'] }",
      "stones_inherited_own scope: { names: ['a', 'b'], unless: ['session'] }",
    ],
  )
  const bare = Object.fromEntries(
    Object.entries(application).map(([path, text]) => [
      path,
      path === 'app/config.ts'
        ? config('{}')
        : text.replace(/^ +\* @scope .*\n/gm, '').replace('/** @scope b unless=key,session */\n', ''),
    ]),
  )
  t.strictSame(tagged.replaceAll(/ scope: \{.*?\},/g, ''), table(bare))
})

t.test(
  'scopes that no route asks for change nothing but the documents that show what is declared',
  async (t) => {
    const documents = /^generated\/(openapi|mcp)\.yml$/
    const without = compile(memoryHost(shop))
    const declared = { ...shop, 'app/config.ts': config("{ 'notes:read': 'See your notes' }") }
    const tagged = Object.fromEntries(
      Object.entries(declared).map(([path, text]) => [
        path,
        text.replace(/^( +)\* @(get|post|put|patch|delete) .*$/gm, '$&\n$1* @scope none'),
      ]),
    )
    for (const files of [declared, tagged]) {
      const { files: made, codecs, catalogue } = compile(memoryHost(files))
      const rest = (all: typeof made) => all.filter(({ path }) => !documents.test(path))
      t.strictSame([rest(made), codecs, catalogue], [rest(without.files), without.codecs, without.catalogue])
      t.strictSame(
        made.filter(({ text }) => text.includes('notes:read')).map(({ path }) => path),
        made.filter(({ path }) => documents.test(path)).map(({ path }) => path),
      )
    }
    t.notMatch(without.files.map(({ text }) => text).join(''), /scope/)
    t.ok(without.files.length > 3)
  },
)
