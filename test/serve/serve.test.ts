/** What `acmcp serve` refuses, in one clear line: the bundle and the configuration. Source: rules.md, Names; house.md, The
 *  bundle. The environment has a test of its own. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { BootError } from '../../runtime/boot/boot-error.ts'
import { resolveConfig } from '../../runtime/boot/resolve-config.ts'
import { ConfigError } from '../../runtime/boot/settings/checks.ts'
import { serve } from '../../runtime/serve/serve.ts'
import { openTestApp } from '../../runtime/testing.ts'
import { temporaryFolder } from '../flow/support.ts'

t.test('a configuration of the wrong shape names its field', async (t) => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [null, 'app/config.ts: config must be an object'],
    [{ mpc: {} }, 'app/config.ts: config has no setting mpc'],
    [
      { mcp: { path: 'mcp' } },
      'app/config.ts: config.mcp.path must be a path that starts with / and ends without',
    ],
    [
      { mcp: { authCacheTtlSeconds: -1 } },
      'app/config.ts: config.mcp.authCacheTtlSeconds must be a number from 0',
    ],
    [{ providers: { Big: {} } }, 'app/config.ts: config.providers.Big must be named with a-z, 0-9 and -'],
    [
      { providers: { a: { issuer: '' } } },
      'app/config.ts: config.providers.a.issuer must be an https address, or http on loopback',
    ],
    [{ log: { mask: 'x' } }, 'app/config.ts: config.log.mask must be a list of texts'],
    ...[0, -1, 1.5, true, null, '600'].map(
      (limit) =>
        [
          { limits: { registerPerHour: limit } },
          'app/config.ts: config.limits.registerPerHour must be a positive whole number or false',
        ] as const,
    ),
    [{ limits: { perHour: 1 } }, 'app/config.ts: config.limits has no setting perHour'],
    [
      { telemetry: { mode: 'on' } },
      "app/config.ts: config.telemetry.mode must be 'native', 'propagation' or 'off'",
    ],
    [{ oauth: { checkToken: {} } }, 'app/config.ts: config.oauth.checkToken must be a function'],
    ...[true, 0, [], ['proxy'], ['10.0.0.0/33'], '10.0.0.1'].map(
      (trustProxy) =>
        [
          { trustProxy },
          'app/config.ts: config.trustProxy must be the number of proxies, or a list of addresses and networks',
        ] as const,
    ),
  ]
  for (const [config, message] of wrong) t.throws(() => resolveConfig(config), new ConfigError(message))
})

const silent = (): void => {}

async function refusalIn(cwd: string): Promise<string> {
  const error: unknown = await serve({ cwd, env: { LOG_LEVEL: 'silent' }, print: silent }).catch(
    (e: unknown) => e,
  )
  return error instanceof BootError ? error.message : String(error)
}

t.test('without a bundle, serve says to run acmcp build', async (t) => {
  const cwd = temporaryFolder()
  t.equal(await refusalIn(cwd), `there is no bundle at ${join(cwd, '.acmcp', 'app.mjs')}: run acmcp build`)
})

t.test('at the root of a workspace, serve says where to run it', async (t) => {
  const cwd = temporaryFolder()
  const bundle = `there is no bundle at ${join(cwd, '.acmcp', 'app.mjs')}: run acmcp build`
  const elsewhere = `there is no application in ${cwd}, which is the root of a workspace: run acmcp in the folder of the application, as \`npm exec -w apps/api -- acmcp …\` or \`pnpm --filter api exec acmcp …\``
  writeFileSync(join(cwd, 'package.json'), '{"private":true}')
  t.equal(await refusalIn(cwd), bundle)
  writeFileSync(join(cwd, 'package.json'), '{"private":true,"workspaces":["apps/*"]}')
  t.equal(await refusalIn(cwd), elsewhere)
  rmSync(join(cwd, 'package.json'))
  writeFileSync(join(cwd, 'pnpm-workspace.yaml'), 'packages: [apps/*]\n')
  t.equal(await refusalIn(cwd), elsewhere)
  mkdirSync(join(cwd, 'app'))
  t.equal(await refusalIn(cwd), bundle, 'an application at the root is one')
})

t.test(
  'decisions, mcp.yml: serve refuses one that is not of the bundle, and leaves nothing behind',
  async (t) => {
    const cwd = join(process.cwd(), 'dist', 'test', `refusal-${process.pid}`)
    t.teardown(() => rmSync(cwd, { recursive: true }))
    for (const name of ['.acmcp', 'generated']) cpSync(name, join(cwd, name), { recursive: true })
    const file = join(cwd, 'generated', 'mcp.yml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('oldest first', 'newest first'))
    t.equal(
      await refusalIn(cwd),
      `${file} is not the one that the bundle was built with: review it, then run acmcp build`,
    )
    t.notOk(existsSync(join(cwd, 'data')), 'no database was made')
  },
)

t.test('serve refuses a folder whose bundle is something else', async (t) => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, '.acmcp'))
  writeFileSync(join(cwd, '.acmcp', 'app.mjs'), 'export const routes = []')
  t.equal(
    await refusalIn(cwd),
    `${join(cwd, '.acmcp', 'app.mjs')} is not a bundle of this version: run acmcp build`,
  )
})

t.test('serve refuses a bundle that asks for what is no longer exported', async (t) => {
  const cwd = temporaryFolder()
  const file = join(cwd, '.acmcp', 'app.mjs')
  mkdirSync(join(cwd, '.acmcp'))
  writeFileSync(file, `import { countRead } from 'node:path'\nexport const routes = countRead`)
  t.equal(
    await refusalIn(cwd),
    `${file} does not fit what is installed: run acmcp build (The requested module 'node:path' does not provide an export named 'countRead')`,
  )
})

t.test('a probe that is no route stops the boot in one line and closes the store', async (t) => {
  const open = openTestApp({
    change: (bundle) => ({ ...bundle, config: { mcp: { authProbe: '/nowhere' } } }),
  })
  await t.rejects(open, { name: 'BootError', message: /authProbe/ })
})

t.test('METRICS_PORT is said at the start, and taken is a clear line', async (t) => {
  const lines: string[] = []
  const env = { LOG_LEVEL: 'silent', PORT: '0', DATABASE_URL: 'sqlite::memory:', METRICS_PORT: '0' }
  const running = await serve({ cwd: process.cwd(), env, print: (line) => void lines.push(line) })
  t.teardown(() => running.close())
  const address = /metrics: (http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(lines.join('\n'))?.[1] ?? ''
  t.equal((await fetch(address)).status, 200)
  const taken = { ...env, METRICS_PORT: new URL(address).port }
  const refused: unknown = await serve({ cwd: process.cwd(), env: taken, print: silent }).catch(
    (error) => error,
  )
  t.ok(refused instanceof BootError)
  t.match(String(refused), /METRICS_PORT \d+: listen EADDRINUSE/)
})

t.test('an exception that nobody takes has a line in the log before the process ends', async (t) => {
  const serving = new URL('../../runtime/serve/serve.js', import.meta.url).href
  const secrets = {
    JWT_SECRET: 'j'.repeat(20) + 'wt'.repeat(9),
    SESSION_SECRET: 's'.repeat(20) + 'et'.repeat(9),
  }
  const env = {
    ...secrets,
    PORT: '0',
    BASE_URL: 'http://localhost:3000',
    DATABASE_URL: 'sqlite::memory:',
    LOG_LEVEL: 'error',
  }
  const code = `import { serve } from '${serving}'
      await serve({ cwd: process.cwd(), env: ${JSON.stringify(env)}, print() {} })
      void Promise.reject(new Error('nobody takes this'))`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  })
  const line: unknown = JSON.parse(stdout.split('\n')[0] ?? '')
  t.match(line, {
    level: 60,
    event: 'uncaught',
    origin: 'unhandledRejection',
    err: { message: 'nobody takes this' },
  })
  t.match([status, stderr], [1, /nobody takes this/])
})
