/** `@consumes`: the document names these media types of a body and no others, the server answers 415 for others, and tool calls,
 *  which have none, reach the route all the same. */
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { FastifyPluginAsync } from 'fastify'
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../cli/compiler/compile.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { built, folderOf } from '../../cli/support/built-app.ts'
import { memoryHost } from '../../cli/support/memory-host.ts'

t.setTimeout(120_000)

const urlencoded = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data'

/** Each route with what it says that it takes; null = nothing. */
const routes: Readonly<Record<string, readonly [parameters: string, types: readonly string[] | null]>> = {
  anything: ['name: string', null],
  form: ['name: string', [urlencoded]],
  forms: ['name: string', [urlencoded, multipart]],
  either: ['name: string', ['application/json', urlencoded]],
  lines: ['lines: Body<Line>', ['text/csv']],
  words: ['words: Body<string>', ['text/plain', 'application/json']],
  photo: ['name: string, photo?: UploadedFile', [multipart, 'application/json']],
}

const method = (name: string, [parameters, types]: (typeof routes)[string]): string => `  /**
   * Takes ${name}.
   *
   * @post /${name}${types === null ? '' : `\n   * @consumes ${types.join(' ')}`}
   */
  ${name}(${parameters}): unknown[] { return [${parameters.replace(/\??:[^,]+/g, '')}] }
`

const root = folderOf(t, {
  'app/config.ts': `import { defineApp } from 'acmcp'
export const config = defineApp({
  mcp: { path: '/mcp' },
  parsers: { 'text/csv': (bytes) => ({ name: Buffer.from(bytes).toString() }) },
})
`,
  'app/controllers/notes.ts': `import { ApplicationController, type Body, type UploadedFile } from 'acmcp'
export interface Line { name: string }
/** Notes. */
export class Notes extends ApplicationController {
${Object.entries(routes)
  .map(([name, route]) => method(name, route))
  .join('\n')}}
`,
})

const { status, stderr } = await built(root)
const app = await openTestApp({ cwd: root })
t.teardown(app.close)

interface Sent {
  readonly type: string | null
  readonly payload: string
}

const senders: Readonly<Record<string, Sent>> = {
  'application/json': { type: 'application/json', payload: '{"name":"a"}' },
  [urlencoded]: { type: urlencoded, payload: 'name=a' },
  [multipart]: {
    type: `${multipart}; boundary=XX`,
    payload: '--XX\r\nContent-Disposition: form-data; name="name"\r\n\r\na\r\n--XX--\r\n',
  },
  'text/plain': { type: 'text/plain', payload: 'a' },
  'text/csv': { type: 'text/csv', payload: 'a' },
}

const send = (name: string, { type, payload }: Sent) =>
  app.application.server.inject({
    method: 'POST',
    url: `/notes/${name}`,
    headers: type === null ? {} : { 'content-type': type },
    payload,
  })

t.test('the application is built', async (t) => t.strictSame([status, stderr.includes('error')], [0, false]))

t.test(
  'the document names exactly the types that a route says, and files in a multipart form alone',
  async (t) => {
    const { paths } = parse(readFileSync(`${root}/generated/openapi.yml`, 'utf8'))
    const documented = Object.keys(routes).map((name) => [
      name,
      Object.keys(paths[`/notes/${name}`].post.requestBody.content),
    ])
    t.strictSame(
      documented,
      Object.entries(routes).map(([name, [, types]]) => [name, types ?? ['application/json', 'text/csv']]),
    )
    const { content } = paths['/notes/photo'].post.requestBody
    t.strictSame(
      [multipart, 'application/json'].map((type) => Object.keys(content[type].schema.properties)),
      [['name', 'photo'], ['name']],
    )
  },
)

for (const [name, [, types]] of Object.entries(routes)) {
  if (types === null) continue
  t.test(
    `a route that takes ${types.join(' and ')} answers 415 for every other type, and says what it takes`,
    async (t) => {
      for (const [type, sent] of Object.entries(senders)) {
        const answer = await send(name, sent)
        if (types.includes(type)) {
          t.equal(answer.statusCode, name === 'words' && type === 'application/json' ? 400 : 200, type)
          continue
        }
        t.equal(answer.statusCode, 415, type)
        t.strictSame([...answer.json().accepts].sort(), [...types].sort(), type)
      }
    },
  )
}

t.test(
  'a body without a type is taken for JSON whatever the route takes, and nothing at all for no body',
  async (t) => {
    for (const name of ['anything', 'form', 'either']) {
      const named = await send(name, { type: null, payload: '{"name":"a"}' })
      t.strictSame([named.statusCode, named.json()], [200, ['a']], name)
      t.equal((await send(name, { type: null, payload: '' })).statusCode, 422, name)
    }
  },
)

/** What hooks may make of the body of a call. */
const hooks: Readonly<Record<string, readonly FastifyPluginAsync[]>> = {
  'without plugins': [],
  'behind a plugin': [async (plugged) => void plugged.addHook('onRequest', async () => {})],
  'behind a plugin that replaces the body': [
    async (plugged) =>
      void plugged.addHook('preParsing', async (_request, _reply, payload) =>
        Readable.from([Buffer.from((await text(payload)).replace('"a"', '"b"'))]),
      ),
  ],
}

for (const [how, plugins] of Object.entries(hooks)) {
  t.test(`a tool call has no media type: it reaches every route, ${how}`, async (t) => {
    const open = await openTestApp({
      cwd: root,
      change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), plugins } }),
    })
    t.teardown(open.close)
    const value = how.endsWith('the body') ? 'b' : 'a'
    for (const route of ['form', 'forms', 'photo']) {
      const { isError, content } = await open.client().tool(`notes_${route}`, { name: 'a' })
      const taken = route === 'photo' ? [value, null] : [value]
      t.strictSame([isError, content], [undefined, [{ type: 'text', text: JSON.stringify(taken) }]], route)
    }
    const { isError, content } = await open.client().tool('notes_lines', { lines: { name: 'a' } })
    const taken = JSON.stringify([{ name: value }])
    t.strictSame([isError, content], [undefined, [{ type: 'text', text: taken }]], 'lines')
  })
}

const mistakes: Readonly<Record<string, readonly [verb: string, parameters: string, problem: string]>> = {
  'application/xml': ['post', 'name: string', 'the body cannot be read as application/xml'],
  'text/plain': ['post', 'name: string', 'the body cannot be read as text/plain'],
  [urlencoded]: ['post', 'names: Body<string[]>', `the body cannot be read as ${urlencoded}`],
  'application/json': ['post', 'photo: UploadedFile', 'the body cannot be read as application/json'],
  'application/json ': ['post', 'photo?: UploadedFile', 'photo is a file, and no type of these carries it'],
  'text/csv': ['get', 'name: string', 'the route reads no body'],
  'text/csv ': ['post', '', 'the route reads no body'],
  'Text/CSV': ['post', 'name: string', "cannot read 'Text/CSV'"],
  'text/csv, text/plain': ['post', 'name: string', "cannot read 'text/csv,'"],
  'text/csv text/csv': ['post', 'name: string', "cannot read 'text/csv'"],
  '': ['post', 'name: string', 'says nothing'],
}

t.test('what could never be sent is a mistake of the build at the tag', async (t) => {
  const all = Object.entries(mistakes)
  const { diagnostics } = compile(
    memoryHost({
      'app/config.ts': `import { defineApp } from 'acmcp'
export const config = defineApp({ parsers: { 'text/csv': String } })
`,
      ...Object.fromEntries(
        all.map(([types, [verb, parameters]], place) => [
          `app/controllers/case${place}.ts`,
          `import { ApplicationController, type Body, type UploadedFile } from 'acmcp'
export class Case${place} extends ApplicationController {
  /**
   * Takes.
   *
   * @${verb} /
   * @consumes ${types}
   */
  take(${parameters}): void {}
}
`,
        ]),
      ),
    }),
  )
  t.strictSame(
    diagnostics
      .map(({ code, at, message }) => `${code} ${at.file} ${at.line}:${at.column} ${message}`)
      .sort(),
    all
      .map(([types, [, , problem]], place) => {
        const column = problem.startsWith('cannot') ? 16 + Math.max(0, types.lastIndexOf('text/csv,')) : 6
        return `ACM113 app/controllers/case${place}.ts 7:${column} @consumes: ${problem}`
      })
      .sort(),
  )
})
