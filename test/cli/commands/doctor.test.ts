/** `acmcp doctor` where nothing is broken: with each way to a token, at servers of each kind. */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import t, { type Test } from 'tap'
import { type StepReport, walk } from '../../../cli/capabilities/doctor/doctor.ts'
import { allowInBrowser, Browser, spawnServe, temporaryFolder } from '../../flow/support.ts'
import { selfSigned } from '../../oauth/support/certificate.ts'
import { freePort } from '../../support/free-port.ts'
import type { Ran } from '../support/built-app.ts'
import {
  caFile,
  type Examined,
  examine,
  exampleBehind,
  failuresOf,
  patientSeconds,
} from '../support/doctor.ts'
import { acmcpHere } from '../support/here.ts'
import { listening, proxyFor } from '../support/reverse-proxy.ts'
import { acmcpWith } from '../support/shop.ts'

t.setTimeout(600_000)

const steps = [
  'address',
  'endpoint',
  'resource metadata',
  'server metadata',
  'registration',
  'authorization',
  'token endpoint',
  'token',
  'credential',
  'initialize',
  'discover',
  'tools/list',
  'tools/call',
  'long message',
  'stream',
  'clock',
]

/** `step: state` of each line. */
const statesOf = ({ lines }: Examined): readonly string[] =>
  lines.slice(1).map((line) => line.split('\t', 2).reverse().join(': '))

const allOk = steps.map((step) => `${step}: ok`)
const allOkBut = (skipped: readonly string[]): readonly string[] =>
  steps.map((step) => `${step}: ${skipped.includes(step) ? 'not tried' : 'ok'}`)

const signInSteps = [
  'resource metadata',
  'server metadata',
  'registration',
  'authorization',
  'token endpoint',
]

t.test(
  'doctor: the served application of this folder, on SQLite, signed in by the development login',
  async (t) => {
    const port = String(await freePort())
    const env = { PORT: port, DATABASE_URL: `sqlite:${temporaryFolder()}/acmcp.db` }
    const secrets = {
      JWT_SECRET: randomBytes(32).toString('hex'),
      SESSION_SECRET: randomBytes(32).toString('hex'),
    }
    const server = await spawnServe(process.cwd(), { ...env, ...secrets, DEV_LOGIN: '1' })
    t.teardown(() => void server.process.kill('SIGKILL'))
    const at = `http://localhost:${port}`
    const { status, stdout, stderr } = acmcpWith(process.cwd(), env, 'doctor', '--timeout', '60')
    t.strictSame([status, stderr], [0, ''])
    t.strictSame(stdout.replace(/^(ok\taddress\t)\S+/m, '$1127.0.0.1').split('\n'), [
      `${at}/mcp`,
      '',
      'ok\taddress\t127.0.0.1 answers',
      `ok\tendpoint\tPOST ${at}/mcp answered 401 with a challenge`,
      `ok\tresource metadata\tresource ${at}/mcp`,
      `ok\tserver metadata\tissuer ${at}`,
      `ok\tregistration\tPOST ${at}/oauth/register answered 201`,
      `ok\tauthorization\tleads to ${at}/auth`,
      `ok\ttoken endpoint\tPOST ${at}/oauth/token answered 400 to a wrong code`,
      `ok\ttoken\tPOST ${at}/oauth/token answered 200: a token`,
      `ok\tcredential\tPOST ${at}/mcp answered 200`,
      'ok\tinitialize\tNotes 0.1.0, revision 2025-11-25',
      'ok\tdiscover\trevisions 2026-07-28',
      'ok\ttools/list\t6 tools',
      'ok\ttools/call\tusers_current answered',
      `ok\tlong message\tPOST ${at}/mcp answered 200 to 100 KiB`,
      'ok\tstream\tthe first event came at once',
      'ok\tclock\twithin a minute',
      'refused\tCursor\trefuses registration (to 3.23); takes registration (from 3.24)',
      '  It registers cursor://anysphere.cursor-mcp/oauth/callback, which the server refuses (invalid_client_metadata: redirect_uris must be https, or http on loopback, without a fragment).',
      "  Set oauth: { profile: 'compatible' } in app/config.ts.",
      ...['VS Code', 'Claude Code', 'Codex', 'Gemini CLI', 'MCP Inspector'].map(
        (client) => `ok\t${client}\tregistration`,
      ),
      'not tried\tother clients\tChatGPT, Claude, Perplexity, Copilot Studio reach no loopback address: ask at the public one',
      '',
    ])
    const again = await acmcpHere(process.cwd(), env, 'doctor', at, '--timeout', '60', '--json')
    const { steps: reported, ...document } = JSON.parse(again.stdout)
    t.strictSame(document, { url: `${at}/`, ok: true })
    t.strictSame(reported[13], {
      step: 'long message',
      state: 'ok',
      detail: `POST ${at}/mcp answered 200 to 100 KiB`,
      cause: null,
      change: null,
    })
    t.equal(reported.length, steps.length + 7, 'with six clients of this machine and the others')
  },
)

t.test('doctor: behind a proxy that ends TLS, with an authority of its own', async (t) => {
  const certificate = selfSigned(['localhost'])
  const { baseUrl } = await exampleBehind(t, { meddling: { certificate } })
  const examined = await examine(`${baseUrl}/mcp`, { caFile: caFile(t, certificate.cert) })
  t.strictSame(statesOf(examined), allOk)
  t.match(examined.lines[1], /^ok\taddress\t\S+, certificate until 2049-12-31 \(\d+ days\)$/)
  t.equal(examined.code, 0)
})

t.test('doctor: a certificate that is not valid yet is a clock that is wrong', async (t) => {
  const certificate = selfSigned(['localhost'], { from: 2048 })
  const { baseUrl } = await proxyFor(t, { certificate })
  const examined = await examine(`${baseUrl}/mcp`, { caFile: caFile(t, certificate.cert) })
  t.strictSame(failuresOf(examined), [
    [
      'address',
      'The TLS certificate is valid only from 2048-01-01 on.',
      'Set the clock of this machine; if it is right, use a certificate that is valid now.',
    ],
  ])
})

t.test('doctor: an open endpoint needs no sign-in', async (t) => {
  const { baseUrl } = await exampleBehind(t, { config: { mcp: {} } })
  const examined = await examine(baseUrl)
  t.strictSame(statesOf(examined), allOkBut([...signInSteps, 'token', 'credential']))
  t.equal(examined.lines[2], `ok\tendpoint\tPOST ${baseUrl}/mcp answered 200: open to everybody`)
  t.equal(examined.lines[3], 'not tried\tresource metadata\tnot needed: the endpoint is open')
})

t.test(
  'doctor: where nobody signs in it says so, and what else to do; with a token it goes on',
  async (t) => {
    const meddling = {
      headers: (headers: object) => ({ ...headers, 'x-forwarded-for': '203.0.113.7' }), // no development login then
    }
    const { baseUrl, application } = await exampleBehind(t, { meddling })
    const requested = ['token', 'initialize', 'discover', 'tools/list', 'tools/call', 'stream']
    const without = await examine(`${baseUrl}/mcp`)
    t.strictSame(statesOf(without), allOkBut(requested))
    t.equal(
      without.lines[8],
      'not tried\ttoken\tnobody has signed in: add --sign-in, or --token <token>; on the machine of the server acmcp token makes one',
    )
    t.equal(without.lines[9], `ok\tcredential\tPOST ${baseUrl}/mcp answered 401 to a wrong token`)
    t.equal(without.code, 0)
    const token = await tokenOf(application)
    const provided = await examine(`${baseUrl}/mcp`, { token })
    t.strictSame(statesOf(provided), allOk)
    t.notOk(provided.lines.join('\n').includes(token.slice(0, 20)))
  },
)

async function tokenOf(
  application: Awaited<ReturnType<typeof exampleBehind>>['application'],
): Promise<string> {
  await application.store.saveUser({ id: 'dev:ada', name: 'ada', email: 'ada@localhost' })
  return (await application.developmentToken('dev:ada')).accessToken
}

t.test('doctor: an endpoint with keys offers no sign-in, which is nothing wrong', async (t) => {
  const { baseUrl, application } = await exampleBehind(t, {
    config: { mcp: { authProbe: '/api/users/current' } },
  })
  const without = await examine(`${baseUrl}/mcp`)
  t.strictSame(failuresOf(without), [])
  t.equal(
    without.lines[3],
    'not tried\tresource metadata\tthe challenge names none: clients cannot sign in, only bring a key or token of their own',
  )
  const provided = await examine(`${baseUrl}/mcp`, { token: await tokenOf(application) })
  t.strictSame(statesOf(provided), allOkBut(signInSteps))
})

t.test('doctor: a person signs in at a browser; the token is given back', async (t) => {
  const tokens: string[] = []
  const body = (text: string): string => {
    if (text.includes('"access_token"')) tokens.push(JSON.parse(text).access_token)
    return text
  }
  const { baseUrl } = await exampleBehind(t, {
    meddling: { body: (text, url) => (url === '/oauth/token' ? body(text) : text) },
  })
  const reports: StepReport[] = []
  const options = {
    url: new URL(`${baseUrl}/mcp`),
    token: null,
    ca: null,
    timeoutMs: patientSeconds * 1000,
    clock: () => Date.now(),
  }
  const showSignIn = (address: URL): void => {
    const callback = address.searchParams.get('redirect_uri') ?? ''
    void allowInBrowser(new Browser(), address, callback).then((back) => fetch(back))
  }
  // this proxy holds every answer back: the walk goes as far as the stream
  const shown = {
    ...options,
    hosts: { near: [], far: [] },
    timeoutMs: 8000,
    showSignIn,
    examineProviders: null,
  }
  await walk(shown, (report) => void reports.push(report))
  t.strictSame(
    reports.map(({ step, finding }) => `${step}: ${finding.state}`),
    steps.map((step) => `${step}: ${step === 'stream' ? 'failed' : 'ok'}`),
  )
  t.equal(tokens.length, 1)
  const again = await examine(`${baseUrl}/mcp`, { token: tokens[0] ?? '' })
  t.strictSame(failuresOf(again), [
    [
      'credential',
      'The server refuses the token.',
      'It is not from its own authorization server, revoked, or refused by the route of mcp.authProbe: ask that route.',
    ],
  ])
})

const jwt = (claims: object): string =>
  ['e30', Buffer.from(JSON.stringify(claims)).toString('base64url'), 'signature'].join('.')

t.test('doctor: why a token is refused, as far as the token tells', async (t) => {
  const { baseUrl } = await exampleBehind(t)
  const now = Math.floor(Date.now() / 1000)
  const refusalOf = async (claims: object) =>
    failuresOf(await examine(`${baseUrl}/mcp`, { token: jwt(claims) })).map(([step, cause]) => [step, cause])
  t.strictSame(await refusalOf({ exp: 1_700_000_000 }), [
    ['token', 'The token expired at 2023-11-14T22:13:20.000Z.'],
    ['credential', 'The token expired at 2023-11-14T22:13:20.000Z.'],
  ])
  t.strictSame(await refusalOf({ exp: now + 3600, aud: 'https://other.example' }), [
    ['token', `The token is for https://other.example, not for ${baseUrl}/mcp.`],
  ])
  t.strictSame(await refusalOf({ exp: now + 7200, iat: now + 600, aud: baseUrl }), [
    ['credential', "The server's clock is 10 minutes ahead of this machine's."],
  ])
})

/** A server of the SDK with sessions, which answers with event streams; `called` are the tools that ran. */
async function sdkServer(t: Test, isReading: boolean, called: string[]): Promise<string> {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(16).toString('hex'),
      onsessioninitialized: (id) => void transports.set(id, transport),
    })
    const server = new McpServer({ name: 'Elsewhere', version: '2.0.0' })
    server.registerTool('weather', { annotations: { readOnlyHint: isReading } }, async () => {
      called.push('weather')
      return { content: [{ type: 'text', text: 'rain' }] }
    })
    await server.connect(transport as Parameters<typeof server.connect>[0]) // its types forbid undefined where it has it
    return transport
  }
  const server = createServer(async (request, response) => {
    const session = request.headers['mcp-session-id']
    const transport = transports.get(String(session)) ?? (session === undefined ? await open() : null)
    if (request.url !== '/mcp' || transport === null) response.writeHead(404).end()
    else await transport.handleRequest(request, response)
    if (request.method === 'DELETE') called.push('session ended')
  })
  return `http://localhost:${await listening(t, server)}/mcp`
}

t.test(
  'doctor: a server of another make, with sessions; no tool is called that may change something',
  async (t) => {
    const called: string[] = []
    const skipped = [...signInSteps, 'token', 'credential', 'discover']
    const reading = await examine(await sdkServer(t, true, called))
    t.strictSame(statesOf(reading), allOkBut(skipped))
    t.equal(reading.lines[10], 'ok\tinitialize\tElsewhere 2.0.0, revision 2025-11-25')
    t.strictSame(called, ['weather', 'session ended'])
    const writing = await examine(await sdkServer(t, false, called))
    t.strictSame(statesOf(writing), allOkBut([...skipped, 'tools/call']))
    t.strictSame(called, ['weather', 'session ended', 'session ended'])
  },
)

t.test('doctor: on a terminal in columns and colours; wrong usage is 2', async (t) => {
  const url = `http://localhost:${await freePort()}/mcp`
  const { lines } = await examine(url, { isTerminal: true, colour: true })
  t.strictSame(lines.slice(1, 5), [
    `\u001b[31mfailed   \u001b[0m  address            ${new URL(url).origin}`,
    `  Nothing listens at ${new URL(url).origin}.`,
    '  Start the server, or the proxy in front of it; with HOST=127.0.0.1 only its own machine reaches it.',
    '\u001b[2mnot tried\u001b[0m  endpoint',
  ])
  const cwd = temporaryFolder()
  const run = (...args: readonly string[]): Promise<Ran> => acmcpHere(cwd, {}, 'doctor', ...args)
  t.equal((await run('localhost:3000')).status, 2)
  t.equal((await run('--timeout', 'long')).status, 2)
  t.equal((await run('--sign-in', '--token', 'x')).status, 2)
  t.strictSame(await run(url, '--ca', 'absent.pem'), {
    status: 2,
    stdout: '',
    stderr: 'acmcp: absent.pem cannot be read (ENOENT)\n',
  })
  const { status, stderr } = await run()
  t.equal(status, 1)
  t.match(stderr, /^acmcp: there is no bundle at .*: run acmcp build\n$/)
})
