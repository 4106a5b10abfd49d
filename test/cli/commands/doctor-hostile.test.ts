/** `acmcp doctor` at servers and in folders that mean harm: what they say is shown, and nothing of it is obeyed. */
import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { listenOnLoopback } from '../../../cli/capabilities/doctor/steps/sign-in.ts'
import { openerOf } from '../../../cli/terminal/open-browser.ts'
import { jsonDocument } from '../../../cli/terminal/table.ts'
import { loadEnvFile } from '../../../runtime/serve/env-file.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { freePort } from '../../support/free-port.ts'
import { examine, failuresOf } from '../support/doctor.ts'
import { foreignServer, json, metadata, type Replies, right } from '../support/foreign-server.ts'
import { acmcpWith } from '../support/shop.ts'

t.setTimeout(600_000)

t.test(
  'acmcp doctor: an address is opened as one argument, without a shell, and only of the web',
  async (t) => {
    const address = 'https://api.example.org/authorize?a=1&calc.exe&b="x y"'
    const encoded = 'https://api.example.org/authorize?a=1&calc.exe&b=%22x%20y%22'
    t.strictSame(openerOf(address, 'linux', {}), ['xdg-open', encoded])
    t.strictSame(openerOf(address, 'darwin', {}), ['open', encoded])
    t.strictSame(openerOf(address, 'win32', { SystemRoot: 'D:\\Windows' }), [
      'D:\\Windows\\System32\\rundll32.exe',
      'url.dll,FileProtocolHandler',
      encoded,
    ])
    for (const other of [
      'file:///C:/Windows/System32/calc.exe',
      'ms-settings:',
      'javascript:1',
      'calc.exe',
      '',
    ])
      for (const platform of ['linux', 'darwin', 'win32'] as const)
        t.equal(openerOf(other, platform, {}), null, `${other} on ${platform}`)
  },
)

t.test('doctor: with an address .env of the folder is not read', async (t) => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, '.env'), 'NODE_ENV=production\n') // which whoever reads it refuses
  const url = `http://localhost:${await freePort()}/mcp`
  const { status, stdout, stderr } = acmcpWith(cwd, {}, 'doctor', url)
  t.strictSame([status, stderr, stdout.split('\n')[2]], [1, '', `failed\taddress\t${new URL(url).origin}`])
  t.match(acmcpWith(cwd, {}, 'doctor').stderr, 'production reads no .env')
})

t.test('.env sets nothing that changes which code runs, or whom it trusts', async (t) => {
  const harmful = [
    'NODE_OPTIONS',
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'NODE_EXTRA_CA_CERTS',
    'NODE_PATH',
    'node_debug',
    'LD_PRELOAD',
    'DYLD_INSERT_LIBRARIES',
    'BROWSER',
    'Path',
  ]
  const harmless = ['NODE_ENV', 'BROWSERS', 'OLD_PATH', 'SHOP_LD_X']
  const names = [...harmful, ...harmless]
  const before = new Map(names.map((name) => [name, process.env[name]]))
  t.teardown(() => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })
  for (const name of names) delete process.env[name]
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, '.env'), names.map((name) => `${name}=development\n`).join(''))
  loadEnvFile(cwd)
  t.strictSame(
    names.filter((name) => process.env[name] !== undefined),
    harmless,
  )
})

t.test('doctor: a page of a stranger takes no time to look at', async (t) => {
  const page = (body: string) => ({
    'POST /mcp': () => ({ status: 403, headers: { 'content-type': 'text/html' }, body }),
  })
  const titled = await foreignServer(t, page('<html><title data-x="1">Just a moment</title>'))
  const long = await foreignServer(t, page('<title'.repeat(600_000)))
  t.strictSame(
    [failuresOf(await examine(`${titled}/mcp`))[0]?.[1], failuresOf(await examine(`${long}/mcp`))[0]?.[1]],
    [
      `A web page (“Just a moment”) answers at ${titled}/mcp in place of the server.`,
      `A web page answers at ${long}/mcp in place of the server.`,
    ],
  )
})

t.test(
  'acmcp doctor: the name of a server begins no line of the report and turns no writing around',
  async (t) => {
    const serverInfo = { name: 'Else\nok\tcredential\tfine \u202Ednes\u009B2J\u2028', version: '1\u{E0041}' }
    const at = await foreignServer(t, {
      'POST /mcp': (sent) => {
        const { id = null, method } = JSON.parse(sent)
        const result = method === 'initialize' ? { protocolVersion: '2025-06-18', serverInfo } : null
        const error = { code: -32_601, message: `no\r\nok\t${method}` }
        return json(200, { jsonrpc: '2.0', id, ...(result === null ? { error } : { result }) })
      },
    })
    const { lines } = await examine(`${at}/mcp`)
    t.ok(lines.includes('ok\tinitialize\tElse?ok?credential?fine ?dnes?2J? 1?, revision 2025-06-18'))
    t.ok(lines.includes('  The server refuses tools/list (no??ok?tools/list).'))
    t.notMatch(lines.slice(1).join(''), /[\p{Cf}\u0080-\u009f\n\r]/u)
    const { lines: printed } = await examine(`${at}/mcp`, { json: true, isTerminal: true })
    const document = printed.join('\n')
    t.notMatch(document, /[\p{Cf}\u007f-\u009f]/u)
    t.equal(
      JSON.parse(document).steps[9].detail,
      `${serverInfo.name} ${serverInfo.version}, revision 2025-06-18`,
      'the same text to a program',
    )
    t.equal(jsonDocument('a\u009b\u{E0041}ü', true), '"a\\u009b\\udb40\\udc41ü"')
  },
)

t.test('doctor: a return of another sign-in is no return, whatever its form', async (t) => {
  const listener = await listenOnLoopback()
  t.teardown(listener.close)
  const { origin, port } = new URL(listener.redirectUri)
  const ask = (path: string): Promise<number> =>
    new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path }, (response) => resolve(response.resume().statusCode ?? 0)).on(
        'error',
        reject,
      )
    })
  const coming = listener.returned('mine', 60_000)
  const strange = [
    '//',
    '//callback?code=x&state=mine',
    '/?code=x&state=mine',
    '/callback',
    '/callback?state=mine',
  ]
  const foreign = ['/callback?code=x', '/callback?code=x&state=other', '/callback?error=denied&state=']
  for (const path of [...strange, ...foreign]) t.equal(await ask(path), 404, path)
  t.equal((await fetch(`${origin}/callback?code=a%3Fb&state=mine`)).status, 200)
  t.equal((await coming)?.get('code'), 'a?b')
})

const comesBackWith = (iss: string, promised: boolean): Replies => ({
  ...metadata((document) => ({ ...document, authorization_response_iss_parameter_supported: promised })),
  'GET /authorize': (query, at) => {
    const { state, redirect_uri } = Object.fromEntries(new URL(query, at).searchParams)
    const location = `${redirect_uri}?code=the-code&state=${state}${iss.replace('AT', at)}`
    return { status: 302, headers: { location } }
  },
})

t.test('doctor: the code of another issuer goes to nobody (RFC 9207)', async (t) => {
  const found = async (iss: string, promised: boolean): Promise<readonly unknown[]> => {
    const codes: string[] = []
    const at = await foreignServer(t, {
      ...comesBackWith(iss, promised),
      'POST /token': (sent, at) => {
        if (sent.includes('the-code')) codes.push('the-code')
        return Object(right['POST /token']?.(sent, at))
      },
    })
    const failures = failuresOf(await examine(`${at}/mcp`))
    return [...failures.map(([step, cause = '']) => [step, cause.replaceAll(at, 'AT')]), codes.length]
  }
  t.strictSame(await found('&iss=https://evil.example', false), [
    ['token', 'The browser comes back with iss https://evil.example, which is not AT/tenant.'],
    0,
  ])
  t.strictSame(await found('', true), [
    ['token', 'The browser comes back with no iss, which is not AT/tenant.'],
    0,
  ])
  t.strictSame(await found('&iss=AT/tenant', true), [1])
  t.strictSame(await found('', false), [1])
})

t.test('doctor: a token for another address is not sent', async (t) => {
  const payload = Buffer.from(JSON.stringify({ aud: 'https://good.example' })).toString('base64url')
  const token = `e30.${payload}.signature`
  const seen: string[] = []
  const at = await foreignServer(t, {
    'POST /mcp': (sent, at) => {
      seen.push(sent)
      return Object(right['POST /mcp']?.(sent, at))
    },
  })
  const { lines } = await examine(`${at}/mcp`, { token })
  t.ok(lines.includes('failed\ttoken\tthe one given, which is not sent'))
  t.ok(lines.includes(`  The token is for https://good.example, not for ${at}/mcp.`))
  t.notOk(seen.some((sent) => sent.includes(token)))
})
