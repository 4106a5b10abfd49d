/** Addresses that an application's routes cannot have, and what the build says of them. */
import t from 'tap'
import { compile } from '../../cli/compiler/compile.ts'
import { BootError } from '../../runtime/boot/boot-error.ts'
import { builtInAddresses } from '../../runtime/http/probes/built-in-addresses.ts'
import { openTestApp } from '../../runtime/testing.ts'
import { memoryHost, notesWith } from '../cli/support/memory-host.ts'

t.setTimeout(60_000)

t.test('every address of the list is mounted', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const { server } = app.application
  for (const { methods, path } of builtInAddresses)
    for (const method of methods)
      t.ok(
        server.hasRoute({ method, url: path }) || server.hasRoute({ method, url: `${path}/` }),
        `${method} ${path}`,
      )
})

t.test(
  'a route at an address of the authorization server ends the start in one line that names both',
  async (t) => {
    const at = (verb: 'GET' | 'POST', path: string) =>
      openTestApp({
        change: (bundle) => ({
          ...bundle,
          routes: bundle.routes.map((route, index) => (index === 0 ? { ...route, verb, path } : route)),
        }),
      })
    await t.rejects(
      at('GET', '/auth/connections'),
      new BootError(
        'GET /auth/connections of health_show is an address of the authorization server (GET /auth/connections): change its path',
      ),
    )
    await t.rejects(
      at('GET', '/auth/:name'),
      new BootError(
        'GET /auth/:name of health_show is an address of the authorization server (GET /auth/:provider): change its path',
      ),
    )
  },
)

const route = (tag: string): string => `/**
 * Lists.
 *
 * ${tag}
 */
list(): string { return '' }`

function reported(tag: string, base: string, config: string): readonly string[] {
  const files = Object.fromEntries(
    Object.entries(notesWith(route(tag))).map(([path, text]) => [path, text.replace('/api/notes', base)]),
  )
  const { diagnostics } = compile(
    memoryHost({
      'app/config.ts': `import { defineApp } from 'acmcp'\n${config}\n`,
      ...files,
    }),
  )
  return diagnostics.map(
    ({ code, severity, message, at }) => `${code} ${severity} ${at.file}:${at.line} ${message}`,
  )
}

const plain = 'export const config = defineApp({})'
const mcpAt = (path: string): string => `export const config = defineApp({ mcp: { path: '${path}' } })`
const line = 'app/controllers/notes.ts:11'

t.test('the build names both: the route, and what has its address', async (t) => {
  const taken = (address: string, owner: string): readonly string[] => [
    `ACM327 error ${line} ${address} of Notes.list is also the address of ${owner}`,
  ]
  const server = (address: string): string => `the authorization server (${address})`
  const cases: readonly (readonly [string, string, string, readonly string[]])[] = [
    ['@get /connections', '/auth', plain, taken('GET /auth/connections', server('GET /auth/connections'))],
    ['@post /sign-out', '/auth', plain, taken('POST /auth/sign-out', server('POST /auth/sign-out'))],
    ['@get /', '/auth', plain, taken('GET /auth/', server('GET /auth'))],
    ['@get /token', '/oauth', plain, []],
    ['@post /token', '/oauth', plain, taken('POST /oauth/token', server('POST /oauth/token'))],
    [
      '@get /',
      '/.well-known/openid-configuration',
      plain,
      taken('GET /.well-known/openid-configuration/', server('GET /.well-known/openid-configuration')),
    ],
    ['@get /', '/mcp', plain, taken('GET /mcp/', "the MCP endpoint (mcp.path: '/mcp')")],
    ['@get /', '/mcp', mcpAt('/tools'), []],
    [
      '@get /',
      '/api/notes',
      mcpAt('/api/not%65s'),
      taken('GET /api/notes/', "the MCP endpoint (mcp.path: '/api/not%65s')"),
    ],
    [
      '@get /',
      '/api/notes',
      mcpAt('/api'),
      [
        `ACM328 warning ${line} GET /api/notes/ of Notes.list wins over /api/notes, an address of a toolbox below mcp.path`,
      ],
    ],
    ['@get /', '/api/other', mcpAt('/api'), []],
    ['@get /', '/mcp/deep/down', plain, []],
  ]
  for (const [tag, base, config, expected] of cases)
    t.strictSame(reported(tag, base, config), expected, `${tag} ${base} ${config}`)
})

t.test('a configuration that is exported by default, or not at all, is told at its place', async (t) => {
  const unnamed = (at: string): readonly string[] => [
    `ACM329 error app/config.ts:${at} app/config.ts does not export config`,
  ]
  t.strictSame(reported('@get /', '/api/notes', 'export default defineApp({})'), unnamed('2'))
  t.strictSame(
    reported('@get /', '/api/notes', 'const config = defineApp({})\nexport default config'),
    unnamed('3'),
  )
  t.strictSame(reported('@get /', '/api/notes', 'const config = defineApp({})\nexport { config }'), [])
})
