/** `ApplicationController`, the base class that the package exports: its tags are read from the package's own declarations,
 *  in every kind of program. Source: rules.md, Errors raised by the framework, Exception handlers. */
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../cli/compiler/compile.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { builtAfresh, outputsOf } from '../random/rebuild.ts'
import { built, folderOf, typeErrors, write } from '../support/built-app.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'

t.setTimeout(120_000)

const action = `  /**
   * Adds a note.
   *
   * @post /
   * @param text - the text
   * @param stars - how many
   */
  create(text: string, stars: Int32 = 0): string {
    const raised = errors.get(text)
    if (raised !== undefined) throw raised
    return text.repeat(stars)
  }
`
const raised = `import { AuthServerError, Conflict, Forbidden, InputRequired, NotFound, Unauthorized } from 'acmcp'
export const errors = new Map<string, Error>([
  ['unauthorized', new Unauthorized()], ['forbidden', new Forbidden()], ['not found', new NotFound()], ['conflict', new Conflict()],
  ['oauth', new AuthServerError('invalid_grant', 'already used', 409)], ['range', new RangeError('far')], ['other', new Error('secret')],
  ['ask', new InputRequired({ sure: { message: 'Sure?', schema: { type: 'object', properties: {} } } }, 'secret')],
])
`
const controller = (name: string, base: string, members = ''): string => `import { ${base}, ${
  members.includes('rescueFrom') ? 'rescueFrom, ' : ''
}${members.includes('ParameterResponse') ? 'type MissingError, ParameterResponse, ' : ''}type Int32 } from 'acmcp'
import { errors } from '../raised.ts'
/** Everything about ${name}. */
export class ${name} extends ${base} {
${members}${action}}
`
const override = `  override missing(error: MissingError): ParameterResponse {
    this.response.set('x-missing', 'mine')
    return new ParameterResponse(error)
  }
`
const files: Files = {
  'app/raised.ts': raised,
  'app/controllers/notes.ts': controller('Notes', 'ApplicationController'),
  'app/controllers/bare.ts': controller('Bare', 'Controller'),
  'app/controllers/own.ts': controller('Own', 'ApplicationController', override),
  'app/controllers/rescued.ts': `${controller('Rescued', 'ApplicationController', '/* rescueFrom */\n')}
rescueFrom(Rescued, RangeError, (error, rescued) => rescued.render({ status: 416, json: { far: error.message } }))
`,
}
const statuses = ['200', '400', '401', '403', '404', '406', '409', '415', '422', 'default']

const responsesOf = (root: string, path: string): readonly string[] =>
  Object.keys(parse(readFileSync(join(root, 'generated/openapi.yml'), 'utf8')).paths[path].post.responses)

t.test('an application whose controllers extend ApplicationController', async (t) => {
  const root = folderOf(t, files)
  const { status, stderr } = await built(root)
  t.strictSame([status, stderr], [0, ''])
  t.equal(typeErrors(root), '', 'the route table compiles')
  t.strictSame(responsesOf(root, '/notes'), statuses, 'the handlers of the package are documented')
  t.strictSame(responsesOf(root, '/bare'), ['200'])
  const app = await openTestApp({ cwd: root })
  t.teardown(app.close)
  const answer = async (path: string, text: string, type = 'application/json', accept = '*/*') => {
    const headers = { 'content-type': type, accept }
    const { statusCode, body } = await app
      .client()
      .request({ method: 'POST', url: path, headers, payload: text })
    return [statusCode, body]
  }
  const error = (message: string): string => JSON.stringify({ error: message })

  t.test('spec, Errors raised by the framework: each has the suggested status and body', async (t) => {
    t.strictSame(await answer('/notes', '{}'), [
      422,
      `{"error":"missing required parameter 'text'","parameter":"text","restriction":"string"}`,
    ])
    t.strictSame(await answer('/notes', '{"text":"a","stars":"many"}'), [
      400,
      `{"error":"invalid parameter value for 'stars': expected Int32, got text","parameter":"stars","restriction":"Int32"}`,
    ])
    t.strictSame(await answer('/notes', '{'), [400, error('the request body is not valid JSON')])
    const [status, media] = await answer('/notes', 'a', 'text/csv')
    t.equal(status, 415)
    t.match(media, /^\{"error":"unsupported body format, accepts: .*","accepts":\[/)
    const [refused, accepts] = await answer('/notes', '{"text":"a"}', 'application/json', 'image/png')
    t.equal(refused, 406)
    t.match(accepts, /^\{"error":"no acceptable response format, accepts: .*","accepts":\[/)
  })

  t.test('all that is invalid is told, the first in `parameter`', async (t) => {
    const body = {
      error:
        "missing required parameter 'text' (string); invalid parameter value for 'stars': expected Int32, got text",
      parameter: 'text',
      restriction: 'string',
    }
    t.strictSame(await answer('/notes', '{"stars":"many"}'), [422, JSON.stringify(body)])
    t.strictSame(await answer('/notes?stars=many', '{}'), [422, JSON.stringify(body)])
    const params = { name: 'notes_create', arguments: { stars: 'many' } }
    const called = await app.client().request({
      method: 'POST',
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    })
    const { isError, content } = called.json().result
    t.equal(isError, true)
    t.match(content[0].text, body.error)
  })

  t.test('decisions, names; spec, Exception handlers 12: classes, and OAuth errors', async (t) => {
    const of = (text: string): ReturnType<typeof answer> => answer('/notes', JSON.stringify({ text }))
    t.strictSame(await of('unauthorized'), [401, error('unauthorized')])
    t.strictSame(await of('forbidden'), [403, error('forbidden')])
    t.strictSame(await of('not found'), [404, error('not found')])
    t.strictSame(await of('conflict'), [409, error('conflict')])
    t.strictSame(await of('oauth'), [409, '{"error":"invalid_grant","error_description":"already used"}'])
    t.equal((await of('other'))[0], 500, 'any other exception has no handler')
    const forms = { sure: { message: 'Sure?', schema: { type: 'object', properties: {} } } }
    const requested = [422, JSON.stringify({ error: 'input of the user is required', questions: forms })]
    t.strictSame(await of('ask'), requested, 'language.md, Controllers at run time: InputRequired')
  })

  t.test(
    'spec, Unhandled exceptions: a controller that extends Controller alone has no handlers',
    async (t) => {
      for (const text of [
        '{}',
        '{"text":"a","stars":"many"}',
        '{',
        '{"text":"not found"}',
        '{"text":"oauth"}',
      ]) {
        t.equal((await answer('/bare', text))[0], 500, text)
      }
      t.equal((await answer('/bare', '{"text":"a"}', 'application/json', 'image/png'))[0], 500)
    },
  )

  t.test('a subclass overrides a handler by its name, and rescueFrom adds one', async (t) => {
    const request = {
      method: 'POST',
      url: '/own',
      headers: { 'content-type': 'application/json' },
      payload: '{}',
    }
    const { statusCode, headers } = await app.client().request({ ...request, method: 'POST' })
    t.strictSame([statusCode, headers['x-missing']], [422, 'mine'])
    t.strictSame(await answer('/rescued', '{"text":"range"}'), [416, '{"far":"far"}'])
    t.equal((await answer('/rescued', '{"text":"not found"}'))[0], 404)
  })

  t.test('a build after a change has the same handlers as one in a new folder', async (t) => {
    write(root, 'app/controllers/notes.ts', files['app/controllers/notes.ts']?.replace('Adds', 'Keeps') ?? '')
    t.equal((await built(root)).status, 0)
    t.strictSame(outputsOf(root), (await builtAfresh(t, root)).outputs)
    t.strictSame(responsesOf(root, '/notes'), statuses)
  })
})

t.test('another version of the package, with another handler, is noticed by the next build', async (t) => {
  const root = folderOf(t, files)
  const home = join(root, 'node_modules/acmcp')
  rmSync(home)
  mkdirSync(home)
  cpSync('package.json', join(home, 'package.json'))
  cpSync('dist/runtime', join(home, 'dist/runtime'), { recursive: true })
  t.equal((await built(root)).status, 0)
  t.strictSame(responsesOf(root, '/notes'), statuses)
  t.match((await built(root)).stdout, 'nothing changed')
  const path = 'node_modules/acmcp/dist/runtime/http/pipeline/application-controller.d.ts'
  write(root, path, readFileSync(join(root, path), 'utf8').replace('{Conflict} 409', '{Conflict} 418'))
  t.equal((await built(root)).status, 0)
  t.strictSame(
    responsesOf(root, '/notes'),
    statuses.map((status) => (status === '409' ? '418' : status)).sort(),
  )
})

const inMemory = (head: string, members: string): Files => ({
  'app/controllers/notes.ts': `import { ApplicationController, Controller, type Conflict, NotFound, CommonResponse } from 'acmcp'
export class Gone extends NotFound {}
/** Notes. */
${head} {
${members}

  /**
   * Shows.
   *
   * @get /
   */
  show(): void {}
}
`,
})
const said = (files: Files): readonly string[] =>
  compile(memoryHost(files)).diagnostics.map(
    ({ at, code, severity, message, hint }) =>
      `${at.line}:${at.column} ${severity} ${code}: ${message}. ${hint}`,
  )

t.test(
  'spec, Exception handlers 10: who handles a class again is told that the base answers, and what to do',
  async (t) => {
    const gone =
      '  /** @exception {Gone} 410 */\n  gone(error: Gone): CommonResponse { return new CommonResponse(error) }'
    t.strictSame(said(inMemory('export class Notes extends ApplicationController', gone)), [
      '5:7 warning ACM213: the handler gone of Gone never runs: ApplicationController.refused (of acmcp) answers before it. ' +
        "An ancestor's handler comes first: override the method `refused` of ApplicationController without tags, or extend Controller, which has no handlers.",
    ])
    t.strictSame(said(inMemory('export class Notes extends Controller', gone)), [])
    const again = gone
      .replace('Gone} 410', 'NotFound} 410')
      .replace('gone(error: Gone', 'refused(error: Conflict | NotFound')
    t.strictSame(said(inMemory('export class Notes extends ApplicationController', again)), [
      '5:7 error ACM126: refused already has tags in ApplicationController (of acmcp). ' +
        'An override without tags runs in place of the inherited method: remove the tags here, or rename the method.',
    ])
  },
)
