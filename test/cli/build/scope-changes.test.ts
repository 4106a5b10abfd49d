/** A session that watches sees a change of the scopes in `app/config.ts`, and of a file that it imports, as a new build would,
 *  and reads no controller again. */
import t from 'tap'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { createSession } from '../../../cli/compiler/read/program/session.ts'
import { method } from '../support/judge.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'

const config = 'app/config.ts'
const words = 'app/words.ts'
const notes = 'app/controllers/notes.ts'
const users = 'app/controllers/users.ts'
const base = 'app/base.ts'

const controller = (name: string, above: string, members: string): string =>
  `import { Controller } from 'acmcp'\nimport { Base } from '../base.ts'\n/** ${name}. */\nexport class ${name} extends ${above} {\n${members}\n}\nexport type Bases = [Base, Controller]\n`

const start: Files = {
  [config]:
    "import { defineApp } from 'acmcp'\nimport { share, text } from './words.ts'\nexport const config: object = defineApp({ mcp: { authProbe: '/users/' }, scopes: { read: 'See', write: { text: 'Add', implies: ['read'] }, [share]: text } })\n",
  [words]: "export const share: string = 'share'\nexport const text: string = 'Share'\n",
  [base]:
    "import { Controller } from 'acmcp'\n/** @scope read */\nexport abstract class Base extends Controller {}\n",
  [notes]: controller(
    'Notes',
    'Base',
    [
      method('@post /\n@scope write', 'add(): void {}'),
      method('@get /', "list(): void { this.requireScopes('share') }"),
    ].join('\n'),
  ),
  [users]: controller('Users', 'Controller', method('@get /\n@scope none', 'show(): void {}')),
}

type Edit = readonly [what: string, path: string, from: string, to: string]

/** One after the other, each on top of the last that was right. */
const edits: readonly Edit[] = [
  ['the words of a scope', config, "'See'", "'See your notes'"],
  ['the words of a scope in another file', words, "'Share'", "'Share notes'"],
  [
    'the order of the scopes',
    config,
    "read: 'See your notes', write",
    "write: { text: 'Add' }, read: 'See your notes', other",
  ],
  ['a scope that is not declared any more', config, "other: { text: 'Add', implies: ['read'] }, ", ''],
  ['a scope that a route asks for goes', config, "read: 'See your notes', ", ''],
  ['a scope under another name, in another file', words, "'share'", "'shared'"],
  ['a scope becomes sensitive', config, "{ text: 'Add' }", "{ text: 'Add', sensitive: true }"],
  ['the route of authProbe asks for a scope', config, "'/users/'", "'/notes/'"],
  ['no scopes', config, 'scopes: {', 'scope: {'],
  ['a class asks for more', base, '@scope read', '@scope read share'],
  ['a method asks for less', notes, '@scope write', '@scope read'],
  ['code asks for less', notes, "this.requireScopes('share')", 'void 0'],
  ['a controller asks for more', users, '@scope none', '@scope share'],
]

const outcome = ({ reading: _unlike, ...rest }: Compilation): object => rest

const names = ({ model }: Compilation): string =>
  model.controllers.flatMap(({ actions }) => actions.map(({ scope }) => scope?.names.join() ?? '')).join(' ')

t.test('a build of a session after a change of scopes gives what a full build gives', async (t) => {
  const session = createSession()
  let files = start
  let last = compile(memoryHost(files), { session })
  t.strictSame([last.diagnostics, names(last)], [[], 'read,write read '])
  const seen: string[] = []
  for (const [what, path, from, to] of edits) {
    const after = { ...files, [path]: (files[path] ?? '').replace(from, to) }
    t.not(after[path], files[path], `${what}: the edit changes the file`)
    const change = { before: last.reading, files: [path] }
    const built = compile(memoryHost(after), { session, change })
    const full = compile(memoryHost(after))
    t.strictSame(outcome(built), outcome(full), what)
    seen.push([what, ...built.diagnostics.map(({ code, at }) => `${code} ${at.file}:${at.line}`)].join(' > '))
    if (built.files.length === 0) continue
    if (path === config || path === words)
      t.strictSame(built.reading.units, last.reading.units, 'no controller is read again')
    files = after
    last = built
  }
  t.strictSame(seen, [
    'the words of a scope',
    'the words of a scope in another file',
    'the order of the scopes',
    'a scope that is not declared any more',
    'a scope that a route asks for goes > ACM232 app/base.ts:2',
    'a scope under another name, in another file > ACM233 app/config.ts:3 > ACM232 app/controllers/notes.ts:17',
    'a scope becomes sensitive',
    'the route of authProbe asks for a scope > ACM235 app/base.ts:2',
    'no scopes > ACM234 app/base.ts:2 > ACM244 app/config.ts:3 > ACM234 app/controllers/notes.ts:9 > ACM232 app/controllers/notes.ts:17 > ACM234 app/controllers/users.ts:9',
    'a class asks for more',
    'a method asks for less > ACM233 app/config.ts:3',
    'code asks for less > ACM233 app/config.ts:3',
    'a controller asks for more > ACM233 app/config.ts:3 > ACM235 app/controllers/users.ts:9',
  ])
})

t.test('other words of a scope leave the model of every controller as it is', async (t) => {
  const session = createSession()
  const before = compile(memoryHost(start), { session })
  const after = { ...start, [config]: (start[config] ?? '').replace("'See'", "'See your notes'") }
  const built = compile(memoryHost(after), { session, change: { before: before.reading, files: [config] } })
  t.strictSame(
    built.model.scopes.map(({ text }) => text),
    ['See your notes', 'Add', 'Share'],
  )
  t.ok(built.model.controllers.every((item, place) => item === before.model.controllers[place]))
  const ordered = compile(
    memoryHost({
      ...start,
      [config]: (start[config] ?? '')
        .replace("read: 'See', ", '')
        .replace(' }, [share]', " }, read: 'See', [share]"),
    }),
    { session, change: { before: before.reading, files: [config] } },
  )
  t.equal(names(ordered), 'write,read read ')
})
