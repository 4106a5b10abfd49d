/** Settings that there are not: the build says where they stand and what was meant, by the package's own types. */
import t from 'tap'
import { diskHost } from '../../../cli/build/disk.ts'
import { compile } from '../../../cli/compiler/compile.ts'
import { resolveConfig } from '../../../runtime/boot/resolve-config.ts'
import { built, folderOf, write } from '../support/built-app.ts'
import type { Files } from '../support/memory-host.ts'

t.setTimeout(240_000)

const controller = `import { Controller } from 'acmcp'
export class Notes extends Controller {
  /**
   * Shows.
   *
   * @get /
   */
  show(): string { return '' }
}
`
const configuration = (settings: string, head = ''): string =>
  `import { defineApp } from 'acmcp'\n${head}export const config = defineApp(${settings})\n`
const application = (config: string, files: Files = {}): Files => ({
  'app/controllers/notes.ts': controller,
  'app/config.ts': config,
  ...files,
})

/** `file:line:column severity code: message | hint`, one a mistake. */
const reported = (root: string): readonly string[] =>
  compile(diskHost(root)).diagnostics.map(
    ({ code, severity, at, message, hint }) =>
      `${at.file}:${at.line}:${at.column} ${severity} ${code}: ${message} | ${hint}`,
  )

const hint =
  'Correct it: the start refuses it too. `acmcp docs reference-settings` says what each setting takes.'

/** One on each line of the settings. */
const mistakes = `{
  limts: {},
  serverName: 'Shop',
  yamlBodies: true,
  mcp: { severName: 'A',
    trustProxy: 1 },
  limits: { fileByte: 1, stallSeconds: 5 },
  log: { 'masks': [],
    colour: 1 },
  errors: { prodution: true },
  session: { cookiename: 'a' },
  oauth: { checkTokens() {} },
  providers: { company: { clientID: 'a', clientSecret: 'b' },
    github: ({ clientId: 'a', clientSecret: 'b', addresses: { tokn: 'c' } } as const) },
}`

t.test('a name that is no setting is an error of the editor and, in a literal, of the build', async (t) => {
  const root = folderOf(t, application(configuration(mistakes)))
  t.strictSame(
    reported(root).filter((text) => text.includes('has no setting')),
    [
      '3:10 config has no setting limts, did you mean: limits',
      '4:15 config has no setting serverName',
      '5:15 config has no setting yamlBodies any more: let a parser of the application read YAML, as the page plugins shows',
      '6:21 config.mcp has no setting severName, did you mean: serverName',
      '7:17 config.mcp has no setting trustProxy',
      '8:23 config.limits has no setting fileByte, did you mean: fileBytes',
      '8:40 config.limits has no setting stallSeconds any more: the watchdog is gone, let a supervisor ask /livez',
      '9:19 config.log has no setting masks, did you mean: mask',
      '10:13 config.log has no setting colour',
      '11:24 config.errors has no setting prodution, did you mean: production',
      '12:26 config.session has no setting cookiename, did you mean: cookieName',
      '13:12 config.oauth has no setting checkTokens, did you mean: checkToken',
      '14:37 config.providers.company has no setting clientID, did you mean: clientId',
      '15:69 config.providers.github.addresses has no setting tokn, did you mean: token',
    ].map((text) => `app/config.ts:${text.replace(' ', ' error ACM244: ')} | ${hint}`),
  )
})

t.test(
  'a build after a change of the configuration alone tells it, and the next one that it is gone',
  async (t) => {
    const right = configuration("{ mcp: { path: '/a' } }")
    const root = folderOf(t, application(right))
    t.equal((await built(root)).status, 0)
    write(root, 'app/config.ts', configuration("{ mcp: { paths: '/a' } }"))
    const wrong = await built(root)
    t.strictSame(
      [wrong.status, wrong.stderr.split('\n')[0]],
      [1, 'app/config.ts:2:49 - error ACM244: config.mcp has no setting paths, did you mean: path'],
    )
    write(root, 'app/config.ts', right)
    t.equal((await built(root)).status, 0)
  },
)

/** One on each line of the settings. */
const wrongValues = `{
  limits: { fileBytes: 0,
    files: -1, bodyBytes,
    routeCalls: '9 a second', urlBytes: Number(process.env.URL_BYTES) },
  mcp: { path: 'mcp', authCacheTtlSeconds: 60,
    serverName: '' },
  trustProxy: ['10.0.0.0/99'],
  providers: {
    company: { clientId: process.env.ID ?? '', clientSecret: '' },
    google: { clientId: 'a', clientSecret: process.env.SECRET ?? '', issuer: 'ftp://a' },
    microsoft: { clientId: 'a' },
    other: { clientId: process.env.ID ?? '', clientSecret: process.env.SECRET ?? '' },
    Other: { clientId: 'a', clientSecret: 'b', issuer: 'https://a.example' } },
  parsers: { 'Text/CSV': () => '' },
  telemetry: { mode: 'native', toolArguments: null },
}`

t.test('a literal that its setting cannot be is an error at the literal, and all are told', async (t) => {
  const head = "import { bodyBytes } from './limits.ts'\n"
  const files = { 'app/limits.ts': 'const kilo = 0\nexport const bodyBytes = (kilo as number)\n' }
  const root = folderOf(t, application(configuration(wrongValues, head), files))
  t.strictSame(
    reported(root),
    [
      'app/config.ts:4:24 config.limits.fileBytes must be a positive number',
      'app/config.ts:5:12 config.limits.files must be a whole number from 0',
      'app/config.ts:6:17 config.limits.routeCalls must be calls per s, min, h or day (600/min) or false',
      'app/config.ts:7:16 config.mcp.path must be a path that starts with / and ends without',
      'app/config.ts:8:17 config.mcp.serverName is empty: write it, or set the variable it comes from',
      'app/config.ts:9:15 config.trustProxy must be the number of proxies, or a list of addresses and networks',
      'app/config.ts:11:62 config.providers.company.clientSecret is empty: write it, or set the variable it comes from',
      'app/config.ts:12:78 config.providers.google.issuer must be an https address, or http on loopback',
      'app/config.ts:13:16 config.providers.microsoft.clientSecret must be a text',
      'app/config.ts:14:12 config.providers.other: an issuer or a preset is needed',
      'app/config.ts:15:12 config.providers.Other must be named with a-z, 0-9 and -',
      "app/config.ts:16:26 config.parsers['Text/CSV'] must be named with a media type in lower case without parameters",
      'app/config.ts:17:47 config.telemetry.toolArguments must be true or false',
      'app/limits.ts:1:14 config.limits.bodyBytes must be a positive number',
    ].map((text) => `${text.replace(' ', ' error ACM244: ')} | ${hint}`),
  )
})

t.test('the build says of values what the start says', async (t) => {
  const root = folderOf(t, application(configuration("{ limits: { files: 0.5 }, mcp: { path: '/a/' } }")))
  const messages = compile(diskHost(root)).diagnostics.map(({ message }) => `app/config.ts: ${message}`)
  t.throws(() => resolveConfig({ limits: { files: 0.5 }, mcp: { path: '/a/' } }), {
    message: messages.join('\n'),
  })
})

t.test('values that only a run can tell are left to the start', async (t) => {
  const config = configuration(
    `{
  limits: { fileBytes: 0, ...given, files: count(), fields: changed },
  mcp: { ...given }, providers: { ...given, own: { ...given }, other: { clientId: '', ...given } },
  pages: given, trustProxy: [count()], migrations: { '001': { async up() {} } }, verifyToken: async () => null,
  parsers: { 'text/csv': String }, plugins: [async () => {}],
}`,
    'const given = JSON.parse(process.env.SETTINGS ?? "{}")\nconst count = () => Number(process.env.COUNT)\nlet changed = 0\nchanged = 1\n',
  )
  t.strictSame(reported(folderOf(t, application(config))), [])
})
