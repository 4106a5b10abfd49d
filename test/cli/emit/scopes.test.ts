/** What `generated/openapi.yml` and `generated/mcp.yml` say of scopes; a whole application is `test/cli/golden/scopes`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { createSession } from '../../../cli/compiler/read/program/session.ts'
import { built, folderOf, write } from '../support/built-app.ts'
import { type Files, memoryHost, notesWith } from '../support/memory-host.ts'
import { scopedNotesIn } from '../support/scoped-notes.ts'
import { readDocument } from './read-document.ts'

t.setTimeout(240_000)

const configOf = (scopes: string): Files => ({
  'app/config.ts': `import { defineApp } from 'acmcp'\nexport const config = defineApp({ ${scopes} })\n`,
})

const read = "scopes: { 'notes:read': 'see your notes' }"

function textOf({ files, diagnostics }: Compilation, name: string): string {
  const text = files.find(({ path }) => path === `generated/${name}`)?.text
  if (text === undefined) throw new Error(JSON.stringify(diagnostics))
  return text
}

const route = (tags: string, name: string, handlers = ''): Files =>
  notesWith(`/**\n * Does it.\n *\n${tags}\n */\n${name}(): string { return '' }\n${handlers}`)

/** The operation at `/api/notes` of such an application. */
function operation(scopes: string, files: Files): Readonly<Record<string, unknown>> {
  const document = readDocument(textOf(compile(memoryHost({ ...configOf(scopes), ...files })), 'openapi.yml'))
  return document.paths['/api/notes'].get
}

const refusal = (words: object): object => ({
  'application/json': {
    schema: {
      type: 'object',
      properties: { error: { type: 'string', ...words } },
      required: ['error'],
    },
  },
})
const unauthenticated = {
  description: 'There is no valid access token.',
  content: refusal({ const: 'invalid_token' }),
}

t.test('OpenAPI: a guarded route says what it needs, and what the guard answers', async (t) => {
  const { security, responses } = operation(read, route(' * @get /\n * @scope notes:read', 'one'))
  t.strictSame(security, [{ oauth2: ['notes:read'] }])
  t.strictSame(responses, {
    200: { description: 'Success', content: { 'application/json': { schema: { type: 'string' } } } },
    401: unauthenticated,
    403: {
      description: 'The access token must grant notes:read.',
      content: refusal({ const: 'insufficient_scope' }),
    },
  })
})

t.test('OpenAPI: a scope that only some users may have is forbidden to others', async (t) => {
  const scopes = "scopes: { 'notes:read': { text: 'see your notes', mayHave: () => true } }"
  const { responses } = operation(scopes, route(' * @get /\n * @scope notes:read', 'one'))
  t.match(responses, { 403: { content: refusal({ enum: ['insufficient_scope', 'forbidden'] }) } })
  const implied = `scopes: { 'notes:read': { text: 'see your notes', implies: ['one'] }, one: { text: 'see one', mayHave: () => true } }`
  const over = operation(implied, route(' * @get /\n * @scope notes:read', 'one'))
  t.strictSame(over.responses, responses, 'also where it implies one')
})

t.test('OpenAPI: the handshake of a guarded WebSocket is refused like any request', async (t) => {
  const root = folderOf(t, {
    ...configOf(read),
    ...notesWith(
      `/**\n * Ticks.\n *\n * @websocket /\n * @scope notes:read\n */\nticks(socket: Socket): void { socket.close() }\n`,
      'Controller, type Socket',
    ),
  })
  t.strictSame((await built(root)).stderr, '')
  const document = readDocument(readFileSync(join(root, 'generated/openapi.yml'), 'utf8'))
  const { security, responses } = document.paths['/api/notes'].get
  t.strictSame(security, [{ oauth2: ['notes:read'] }])
  t.strictSame(Object.keys(Object(responses)), ['101', '401', '403', '426'])
})

t.test('OpenAPI: the 403 is what a handler of every error makes of it, too', async (t) => {
  const handler = `/**
 * Says why.
 *
 * @exception {Error} 500
 */
failed(error: Error): { why: string } { return { why: error.message } }`
  const { responses } = operation(read, route(' * @get /\n * @scope notes:read', 'one', handler))
  const why = { type: 'object', properties: { why: { type: 'string' } }, required: ['why'] }
  t.match(responses, { 403: { content: { 'application/json': { schema: why } } } })
  t.notMatch(JSON.stringify(responses), 'insufficient_scope')
})

t.test('documents: without scopes there is not a word of them', async (t) => {
  const files = route(' * @get /', 'one')
  const plain = compile(memoryHost(files))
  const empty = compile(memoryHost({ ...files, ...configOf('scopes: {}') }))
  t.ok(plain.files.length > 0)
  t.strictSame(empty.files, plain.files)
  t.notMatch(plain.files.map(({ text }) => text).join(''), /scope|oauth2/)
})

t.test('documents: a session writes what a new build would when declarations change', async (t) => {
  const files = route(' * @get /\n * @scope notes:read', 'one')
  const declared = [
    read,
    "scopes: { 'notes:read': 'read what you wrote' }",
    "scopes: { 'notes:read': { text: 'see your notes', mayHave: () => true } }",
    "scopes: { 'notes:read': { text: 'see your notes', sensitive: true } }",
    read,
  ]
  const session = createSession()
  let before: Compilation['reading'] | null = null
  const texts = new Set<string>()
  for (const scopes of declared) {
    const host = memoryHost({ ...configOf(scopes), ...files })
    const change = before === null ? null : { before, files: ['app/config.ts'] }
    const again = compile(host, { session, change })
    t.strictSame(again.files, compile(host).files, scopes)
    texts.add(textOf(again, 'mcp.yml'))
    before = again.reading
  }
  t.equal(texts.size, declared.length - 1)
})

t.test('mcp.yml: edits of its words and of what a tool needs are found', async (t) => {
  const root = await scopedNotesIn(t)
  const file = join(root, 'generated/mcp.yml')
  const right = readFileSync(file, 'utf8')
  const edits = [
    ['delete notes for good', 'delete notes', '  notes:delete:'],
    ['scopes: [notes:read, notes:delete]', 'scopes: none', '  - name: notes'],
    ['        unless: [session, key]\n', '', '  - name: pages'],
  ] as const
  for (const [from, to, entry] of edits) {
    t.ok(right.includes(from), from)
    write(root, 'generated/mcp.yml', right.replace(from, to))
    const { status, stderr } = await built(root)
    const line = right.split('\n').indexOf(entry) + 1
    t.strictSame([status, stderr.split(' - ')[0]], [1, `generated/mcp.yml:${line}:1`])
    t.match(stderr, 'generated/mcp.yml was edited by hand')
  }
  write(root, 'generated/mcp.yml', right)
  t.equal((await built(root, 'check')).status, 0)
})

t.test('mcp.yml: build --check sees another word, and a scope that is gone', async (t) => {
  const root = await scopedNotesIn(t)
  const path = 'app/controllers/notes.ts'
  const text = readFileSync(join(root, path), 'utf8')
  write(root, path, text.replace('@scope notes:delete', '@scope none'))
  const { status, stdout, stderr } = await built(root, 'check')
  t.equal(status, 1)
  const diff = `${stdout}${stderr}`
  t.match(diff, '-        scopes: [notes:read, notes:delete]')
  t.match(diff, '+        scopes: none')
  write(root, path, text)
  const config = readFileSync(join(root, 'app/config.ts'), 'utf8')
  write(root, 'app/config.ts', config.replace('see your notes', 'read your notes'))
  t.equal((await built(root, 'check')).status, 1)
})
