/** What `generated/openapi.yml` says about routes, and what a linter that we did not write says about it. */
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../cli/compiler/compile.ts'
import { type Files, memoryHost, notesWith } from '../support/memory-host.ts'
import { redocly } from '../support/redocly.ts'

t.test('generated/openapi.yml passes @redocly/cli lint without errors and warnings', async (t) => {
  t.strictSame(redocly(['generated/openapi.yml']), [])
})

/** The document's operations by path and verb. */
function operations(files: Files): Record<string, Record<string, Record<string, unknown>>> {
  const { files: made, diagnostics } = compile(memoryHost(files))
  if (made.length === 0) throw new Error(JSON.stringify(diagnostics))
  return parse(made.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? '').paths
}

const text = { type: 'string' }
const json = (schema: object): object => ({ 'application/json': { schema } })

t.test('what filters take and answer stands on every route that they cover, and on no other', async (t) => {
  const paths = operations(
    notesWith(
      `/**
 * Needs a tenant.
 *
 * @filter before only=one
 * @param tenant - whose notes
 * @throws {Conflict} 402 not paid
 * @returns {Problem} 403 not yours
 */
before(tenant: Header<'X-Tenant'>): Rendered | undefined { return tenant === '' ? this.head(403) : undefined }
/**
 * One.
 *
 * @get /one
 * @mcp hide
 * @throws {NotFound} 404 no such note
 */
one(): string { return '' }
/**
 * Two.
 *
 * @get /two
 */
two(): string { return '' }
}
export interface Problem { title: string }
export class More {`,
      'Controller, Conflict, NotFound, type Header, type Rendered',
    ),
  )
  const ok = { 200: { description: 'Success', content: json(text) } }
  t.strictSame(paths['/api/notes/one']?.get?.parameters, [
    { name: 'X-Tenant', in: 'header', required: true, description: 'whose notes', schema: text },
  ])
  t.strictSame(paths['/api/notes/one']?.get?.responses, {
    ...ok,
    402: { description: 'not paid' },
    403: {
      description: 'not yours',
      content: json({ $ref: '#/components/schemas/Problem' }),
    },
    404: { description: 'no such note' },
  })
  t.strictSame(paths['/api/notes/two']?.get?.responses, ok)
})

t.test("an override's own @param and @returns stand before those of the method above it", async (t) => {
  const paths = operations({
    'app/base.ts': `import { Controller } from 'acmcp'
export abstract class Base extends Controller {
  /**
   * Shows.
   *
   * @get /:id
   * @param id - which one
   * @param more - the parent's text
   * @returns 200 as the parent says
   */
  show(id: string, more?: string): string { return id + more }
}
`,
    'app/controllers/notes.ts': `import { Base } from '../base.ts'
/** Notes. */
export class Notes extends Base {
  /**
   * @param more - its own text
   * @returns 202 as the override says
   */
  override show(id: string, more?: string): string { return id + more }
}
`,
  })
  const { summary, parameters, responses } = paths['/notes/{id}']?.get ?? {}
  t.strictSame(
    [summary, parameters, responses],
    [
      'Shows.',
      [
        { name: 'id', in: 'path', required: true, description: 'which one', schema: text },
        { name: 'more', in: 'query', description: 'its own text', schema: text },
      ],
      { 202: { description: 'as the override says', content: json(text) } },
    ],
  )
})

t.test("bodies stand under every kind of content type, the application's own included", async (t) => {
  const paths = operations({
    'app/config.ts': `import { defineApp } from 'acmcp'
export const config = defineApp({ parsers: { 'application/msgpack': null }, responders: { 'text/csv': null } })
`,
    ...notesWith(
      `/**
 * Adds.
 *
 * @post /
 */
add(note: Body<{ a: string }>): string { return note.a }
/**
 * Renames.
 *
 * @put /
 */
rename(name: Body<string>): void { void name }
/**
 * Lists.
 *
 * @patch /
 * @produces application/json
 */
list(all: Body<string[]>, where?: { a: string }): string[] { return [...all, String(where)] }
`.replace(', where?: { a: string }', ''),
      'Controller, type Body',
    ),
  })
  const contentOf = (verb: string): unknown => paths['/api/notes']?.[verb]?.requestBody
  const object = { schema: { type: 'object', properties: { a: text }, required: ['a'] } }
  const list = { schema: { type: 'array', items: text } }
  t.strictSame(contentOf('post'), {
    required: true,
    content: {
      'application/json': object,
      'application/x-www-form-urlencoded': object,
      'multipart/form-data': object,
      'application/msgpack': object,
    },
  })
  t.strictSame(contentOf('put'), {
    required: true,
    content: {
      'application/json': { schema: text },
      'text/plain': { schema: text },
      'application/msgpack': { schema: text },
    },
  })
  t.strictSame(contentOf('patch'), {
    required: true,
    content: { 'application/json': list, 'application/msgpack': list },
  })
  const answers = (verb: string): unknown => paths['/api/notes']?.[verb]?.responses
  t.strictSame(answers('post'), {
    200: { description: 'Success', content: { ...json(text), 'text/csv': { schema: text } } },
  })
  t.strictSame(answers('patch'), {
    200: { description: 'Success', content: { 'application/json': list } },
  })
})

t.test('objects, tuples and lists of them in the query are one JSON text, other lists are not', async (t) => {
  const paths = operations(
    notesWith(
      `/**
 * Finds.
 *
 * @get /
 */
find(where: { a: string }, pair?: [string, string], many?: Where[], tags?: string[], tree?: Tree): void { void [where, pair, many, tags, tree] }
}
export interface Where { a: string }
export type Tree = string | Tree[]
export class Other {`,
    ),
  )
  const parameters = paths['/api/notes']?.get?.parameters as readonly { name: string; content?: object }[] // as OpenAPI says
  t.strictSame(
    parameters.map(({ name, content }) => [name, content === undefined ? 'schema' : Object.keys(content)]),
    [
      ['where', ['application/json']],
      ['pair', ['application/json']],
      ['many', ['application/json']],
      ['tags', 'schema'],
      ['tree', 'schema'],
    ],
  )
  t.strictSame(parameters[0]?.content, json({ type: 'object', properties: { a: text }, required: ['a'] }))
})
