/** `acmcp doctor` at servers and in folders that mean harm: what they say is shown, and nothing of it is obeyed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openerOf } from '../../../cli/terminal/open-browser.ts'
import { loadEnvFile } from '../../../runtime/serve/env-file.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { freePort } from '../../support/free-port.ts'
import { acmcpWith } from '../support/shop.ts'

t.setTimeout(600_000)

t.test(
  'issue 14, doctor: an address is opened as one argument, without a shell, and only of the web',
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

t.test('issue 14, doctor: with an address .env of the folder is not read', async (t) => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, '.env'), 'NODE_ENV=production\n') // which whoever reads it refuses
  const url = `http://localhost:${await freePort()}/mcp`
  const { status, stdout, stderr } = acmcpWith(cwd, {}, 'doctor', url)
  t.strictSame([status, stderr, stdout.split('\n')[2]], [1, '', `failed\taddress\t${new URL(url).origin}`])
  t.match(acmcpWith(cwd, {}, 'doctor').stderr, 'production reads no .env')
})

t.test('issue 14, .env sets nothing that changes which code runs, or whom it trusts', async (t) => {
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
