/** What of a request is an argument of a tool, and what a tool call can never carry. */
import t from 'tap'
import { parse } from 'yaml'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { loadCatalogue } from '../codecs/printed.ts'
import { short } from '../support/judge.ts'
import { type Files, memoryHost, notesWith } from '../support/memory-host.ts'

const imports = 'type Body, Controller, type Cookie, type Header, type Named, type Rendered, UploadedFile'
const notes = (members: string): Files => notesWith(members, imports)
const build = (files: Files): Compilation => compile(memoryHost(files))

const action = (parameters: string, names: string, tags = ''): string => `
/**
 * Tells secrets.
 *
 * @get /secrets/:id${tags}
 */
secrets(${parameters}): string { return String([${names}]) }
`

interface Argument {
  readonly argument: string
  readonly from: string
  readonly name: string
}

const argumentsOf = ({ catalogue }: Compilation): readonly Argument[] =>
  loadCatalogue(catalogue).tools[0].arguments

t.test('what a filter reads in a header or a cookie is never an argument', async (t) => {
  const compilation = build(
    notes(`/** @filter before */
who(user?: Header<'X-Forwarded-User'>, tenant?: Header<'X-Tenant'>, mode?: Cookie<'mode'>, lang?: string): void { void [user, tenant, mode, lang] }
/** @filter around */
async room(next: () => Promise<void>, room?: Header<'x-room'>): Promise<void> { void room; await next() }
${action("id: string, tenant?: Header<'x-tenant'>, room?: Header<'X-Room'>, mode?: Cookie<'mode'>", 'id, tenant, room, mode')}`),
  )
  t.strictSame(
    compilation.diagnostics.map(short),
    ['ACM162 9:40', 'ACM162 11:39'],
    'told, as both are optional',
  )
  t.strictSame(argumentsOf(compilation), [
    { argument: 'id', from: 'path', name: 'id' },
    { argument: 'lang', from: 'query', name: 'lang' },
  ])
  const document = parse(compilation.files.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? '')
  t.strictSame(
    document.paths['/api/notes/secrets/{id}'].get.parameters
      .map((parameter: { in: string; name: string }) => `${parameter.in} ${parameter.name}`)
      .sort(),
    ['cookie mode', 'header X-Forwarded-User', 'header X-Room', 'header x-tenant', 'path id', 'query lang'],
    'OpenAPI documents all of them',
  )
})

t.test(
  'arguments and headers: no header that proxies set and no credential is an argument, even of an action',
  async (t) => {
    const names = [
      'Host Forwarded Via X-Forwarded-For X-Forwarded-User X-Forwarded-Access-Token x_forwarded_user X-Real-IP X-Client-IP',
      'CF-Connecting-IP CF-Access-JWT-Assertion True-Client-IP X-Original-URL X-Rewrite-URL X-Remote-User Remote-User',
      'X-Amzn-Oidc-Identity X-Amzn-Trace-Id X-Envoy-External-Address X-MS-Client-Principal-Name X-Goog-IAP-JWT-Assertion',
      'X-Auth-Request-Email X-Consumer-Username X-User-Id X-SSL-Client-Verify X-HTTP-Method-Override Fastly-Client-IP',
      'Authorization Proxy-Authorization Cookie X-API-Key X-Auth-Token X-Access-Token X-CSRF-Token',
      'Origin Referer Sec-Fetch-Site Sec-WebSocket-Key Accept Accept-Encoding Content-Type Content-Length',
      'Transfer-Encoding Connection Upgrade TE User-Agent Traceparent Mcp-Session-Id',
    ].flatMap((row) => row.split(' '))
    const parameters = names.map((name, index) => `h${index}?: Header<'${name}'>`).join(', ')
    const compilation = build(
      notes(action(`id: string, ${parameters}, version?: Header<'X-Api-Version'>`, 'id, version')),
    )
    t.strictSame(
      compilation.diagnostics.map(({ code }) => code),
      ['ACM227'],
    )
    t.strictSame(
      argumentsOf(compilation).map(({ argument }) => argument),
      ['id', 'x_api_version'],
    )
  },
)

t.test(
  'arguments and headers: another header of an action is an argument, with a warning at its parameter',
  async (t) => {
    const { diagnostics } = build(
      notes(action("id: string, version?: Header<'X-Api-Version'>", 'id, version')),
    )
    t.strictSame(diagnostics, [
      {
        code: 'ACM227',
        severity: 'warning',
        message:
          'the tool notes_secrets takes the header X-Api-Version as its argument x_api_version: the model fills it in',
        hint: 'What says who is asking, or what they may do, belongs in a filter. If a model may choose it, as a version or a language, say so with @mcp show on the method.',
        at: { file: 'app/controllers/notes.ts', line: 14, column: 21 },
      },
    ])
    const hidden = action("id: string, version?: Header<'X-Api-Version'>", 'id, version', '\n * @mcp hide')
    t.strictSame(build(notes(hidden)).diagnostics, [])
    const meant = build(
      notes(action("id: string, version?: Header<'X-Api-Version'>", 'id, version', '\n * @mcp show')),
    )
    t.strictSame(meant.diagnostics, [], '@mcp show accepts it')
    t.strictSame(
      argumentsOf(meant).map(({ argument }) => argument),
      ['id', 'x_api_version'],
    )
  },
)

t.test(
  'arguments and headers: a required header that no tool call carries is an error that names @mcp hide',
  async (t) => {
    const guard = (type: string, tags = ''): Files => ({
      'app/base.ts': `import { Controller, type Header } from 'acmcp'
export abstract class Base extends Controller {
  /** @filter before */
  who(user: ${type}): void { void user }
}
`,
      'app/controllers/admin.ts': `import { Base } from '../base.ts'
/**
 * Of the boss.${tags}
 */
export class Admin extends Base {
  /**
   * Tells secrets.
   *
   * @get /secrets
   */
  secrets(): string { return '' }
  /**
   * Tells names.
   *
   * @get /names
   */
  names(): string { return '' }
}
`,
    })
    for (const header of ['X-Tenant', 'X-Forwarded-User']) {
      t.strictSame(build(guard(`Header<'${header}'>`)).diagnostics, [
        {
          code: 'ACM226',
          severity: 'error',
          message: `every call of the tool admin_secrets and 1 more of Admin would be refused: it needs the header ${header}, which no tool call carries and no model may choose`,
          hint: 'Hide the class or the method with @mcp hide, or make the parameter optional. A header of your own, which says neither who calls nor by which way, goes along where mcp.forwardHeaders names it.',
          at: { file: 'app/base.ts', line: 4, column: 7 },
        },
      ])
      t.strictSame(build(guard(`Header<'${header}'>`, '\n *\n * @mcp hide')).diagnostics, [])
    }
    t.strictSame(build(guard("Header<'X-Forwarded-User'> | undefined")).diagnostics, [])
    for (const carried of ['Authorization', 'X-API-Key', 'Cookie', 'Accept']) {
      t.strictSame(build(guard(`Header<'${carried}'>`)).diagnostics, [], carried)
    }
    const own = build(notes(action("id: string, host: Header<'Host'>", 'id, host')))
    t.strictSame(own.diagnostics.map(short), ['ACM226 14:21'], 'of an action too')
  },
)

const tenants = (type: string, forwarded: string): Files => ({
  ...notesWith(
    `/** @filter before */
inClinic(clinic: ${type} = 'main'): void { void clinic }
${action("id: string, other: Header<'X-Other'> = ''", 'id, other', '\n * @mcp show')}`,
    imports,
  ),
  'app/config.ts': `import { defineApp } from 'acmcp'
const tenant = 'X-Clinic'
export const config = defineApp({ mcp: { forwardHeaders: ${forwarded} } })
void tenant
`,
})

t.test('an optional header that a filter reads and no tool call carries is a warning', async (t) => {
  const lost = build(tenants("Header<'X-Clinic'>", '[]'))
  t.strictSame(lost.diagnostics, [
    {
      code: 'ACM162',
      severity: 'warning',
      message:
        'no call of notes_secrets carries the header X-Clinic: this filter sees its default there, whatever the client sent',
      hint: "Have tool calls carry it with mcp: { forwardHeaders: ['x-clinic'] } in app/config.ts, or put what it says into the path. Hide what is not for MCP clients with @mcp hide.",
      at: { file: 'app/controllers/notes.ts', line: 9, column: 10 },
    },
  ])
  for (const forwarded of ["['x-clinic']", "['X-CLINIC', 'x-clinic']", '[tenant]'])
    t.strictSame(build(tenants("Header<'X-Clinic'>", forwarded)).diagnostics, [], forwarded)
  for (const never of ['User-Agent', 'If-None-Match', 'X-Forwarded-For', 'X-API-Key'])
    t.strictSame(build(tenants(`Header<'${never}'>`, '[]')).diagnostics, [], `${never} never goes along`)
})

t.test('a forwarded header is an argument of no tool, whoever reads it', async (t) => {
  const named = (compilation: Compilation) => argumentsOf(compilation).map(({ argument }) => argument)
  t.strictSame(named(build(tenants("Header<'X-Clinic'>", "['x-clinic']"))), ['id', 'x_other'])
  t.strictSame(named(build(tenants("Header<'X-Clinic'>", "['x-clinic', 'x-other']"))), ['id'])
  const required = (forwarded: string): Compilation =>
    build({
      ...notes(action("id: string, clinic: Header<'X-Clinic'>", 'id, clinic', '\n * @mcp show')),
      'app/config.ts': tenants('string', forwarded)['app/config.ts'] ?? '',
    })
  t.strictSame(named(required('[]')), ['id', 'x_clinic'])
  t.strictSame(named(required("['X-Clinic']")), ['id'])
})

t.test('headers that are never forwarded are refused where they are named', async (t) => {
  const never = 'never goes along: it says who calls, by which way, or what one message is'
  const refused: readonly (readonly [string, string])[] = [
    ...[
      'Host',
      'X-Forwarded-For',
      'x_forwarded_user',
      'Via',
      'User-Agent',
      'Content-Type',
      'Content-Language',
    ],
    ...[
      'Mcp-Session-Id',
      'mcp_name',
      'If-None-Match',
      'if_match',
      'Range',
      'Idempotency-Key',
      'X-Acmcp-Call',
    ],
    ...[
      'Last-Event-Id',
      'Transfer-Encoding',
      'Connection',
      'Set-Cookie',
      'X-User-Id',
      'Sec-Fetch-Site',
      'Origin',
    ],
  ].map((name) => [name, never] as const)
  const others: typeof refused = [
    ...['Authorization', 'cookie', 'X-API-Key', 'Accept'].map(
      (name) => [name, 'is not to be named: tool calls have it anyway'] as const,
    ),
    ...['', 'X Clinic', 'x-clinic\r\nx-evil', 'x:clinic', 'klinik-ä', 'x'.repeat(101)].map(
      (name) => [name, 'is not the name of a header'] as const,
    ),
  ]
  const all = [...refused, ...others]
  const names = all.map(([name]) => JSON.stringify(name).replaceAll('\\\\', '\\')).join(', ')
  const { diagnostics } = build(tenants("Header<'X-Clinic'>", `['x-clinic', ${names}]`))
  t.strictSame(
    diagnostics.map(({ severity, code, message }) => `${severity} ${code}: ${message}`),
    all.map(([name, why]) => `error ACM161: mcp.forwardHeaders: ${JSON.stringify(name)} ${why}`),
  )
  t.strictSame(diagnostics[0]?.at, { file: 'app/config.ts', line: 3, column: 71 }, 'at its place')
})

t.test('two parameters of one public name are two arguments, whatever a third is called', async (t) => {
  const compilation = build(
    notes(`/** @filter before */
who(a?: Named<'path_id', string>, b?: Named<'header_id', string>): void { void [a, b] }
${action("id: string, other?: Named<'header_id', string>, header?: Header<'Id'>", 'id, header, other')}`),
  )
  const names = argumentsOf(compilation).map(({ argument }) => argument)
  t.strictSame(names, ['id', 'header_id', 'id_2', 'path_id'])
})

t.test('uploads: what a filter requires as a file is no tool', async (t) => {
  const compilation = build(
    notes(`/** @filter before */
scan(file: UploadedFile): void { void file }
/**
 * Adds a file.
 *
 * @post /files
 */
add(name: string): string { return name }
`),
  )
  t.strictSame(compilation.diagnostics, [])
  t.strictSame(loadCatalogue(compilation.catalogue).tools, [])
})

t.test('what two methods read in one place is one input, as the action has it', async (t) => {
  const { diagnostics, files, model, ...compilation } = build(
    notes(`/** @filter before */
page(id?: number, lang?: boolean): void { void [id, lang] }
${action('id: string, lang: string', 'id, lang')}`),
  )
  t.strictSame(diagnostics, [])
  const [inputs] = model.controllers.flatMap(({ actions }) => actions.map((item) => item.inputs))
  t.strictSame(
    inputs?.map(({ wireName, from, required, schema }) => [wireName, from, required, schema.kind]),
    [
      ['id', 'path', true, 'string'],
      ['lang', 'query', true, 'string'],
    ],
  )
  const textOf = (name: string): string => files.find(({ path }) => path.endsWith(name))?.text ?? ''
  const { parameters } = parse(textOf('openapi.yml')).paths['/api/notes/secrets/{id}'].get
  t.strictSame(
    parameters.map(({ name, schema }: { name: string; schema: { type: string } }) => [name, schema.type]),
    [
      ['id', 'string'],
      ['lang', 'string'],
    ],
  )
  t.match(textOf('paths.ts'), 'secrets: (parameters: { id: string; lang: string }): string')
  const [tool] = loadCatalogue(compilation.catalogue).tools
  t.strictSame(tool.inputSchema.properties, {
    id: { type: 'string', minLength: 1 },
    lang: { type: 'string' },
  })
})
