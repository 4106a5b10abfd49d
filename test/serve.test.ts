/** What `acmcp serve` refuses, in one clear line. Source: decisions.md, Environment; house.md (the bundle). */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { BootError } from '../runtime/boot-error.ts'
import { ConfigError, resolveConfig } from '../runtime/config.ts'
import { readEnvironment, type Variables } from '../runtime/environment.ts'
import { serve } from '../runtime/serve.ts'
import { openTestApp } from '../runtime/testing.ts'
import { temporaryFolder } from './flow/support.ts'

const secret = (letter: string): string => `${letter}0123456789abcdefghijklmnopqrstuvwxyz`

const strong: Variables = {
  NODE_ENV: 'production',
  BASE_URL: 'https://notes.example.org/',
  JWT_SECRET: secret('J'),
  SESSION_SECRET: secret('S'),
}

const neverRandom = (): string => {
  throw new Error('a secret was made')
}

/** The message of the refusal, or the environment. */
function read(change: Variables): unknown {
  try {
    return readEnvironment({ ...strong, ...change }, '/nowhere', neverRandom)
  } catch (error) {
    if (!(error instanceof BootError)) throw error
    return error.message
  }
}

t.test('a complete production environment is read', async (t) => {
  t.strictSame(read({ JWT_SECRET: `${secret('N')},${secret('J')}`, PORT: '8080' }), {
    production: true,
    host: '0.0.0.0',
    port: 8080,
    baseUrl: 'https://notes.example.org',
    databaseUrl: 'sqlite:/nowhere/data/acmcp.db',
    jwtSecrets: [secret('N'), secret('J')],
    sessionSecrets: [secret('S')],
    devLogin: false,
    logLevel: 'info',
  })
})

t.test('every weak production configuration is refused', async (t) => {
  const refusals: readonly (readonly [Variables, string])[] = [
    [{ BASE_URL: undefined }, 'BASE_URL is required in production'],
    [{ BASE_URL: 'http://notes.example.org' }, 'BASE_URL must be https in production'],
    [{ BASE_URL: 'notes' }, 'BASE_URL is not a URL: notes'],
    [
      { BASE_URL: 'https://notes.example.org/?a=1' },
      'BASE_URL must be an http or https address without path, query, fragment and user',
    ],
    [{ PORT: 'http' }, 'PORT must be a port number, not http'],
    [{ JWT_SECRET: undefined }, 'JWT_SECRET is required in production'],
    [{ SESSION_SECRET: '' }, 'SESSION_SECRET is required in production'],
    [{ JWT_SECRET: 'short' }, 'JWT_SECRET and SESSION_SECRET need at least 32 bytes each'],
    [{ JWT_SECRET: 'ab'.repeat(20) }, 'a secret that repeats a few characters is refused'],
    [{ JWT_SECRET: `change-me ${secret('J')}` }, 'an example secret is refused in production'],
    [{ SESSION_SECRET: secret('J') }, 'JWT_SECRET and SESSION_SECRET must differ'],
    [{ DEV_LOGIN: '1' }, 'DEV_LOGIN signs anybody in: it is refused in production and off loopback'],
    [{ DATABASE_URL: 'sqlite::memory:' }, 'sqlite::memory: is refused in production'],
  ]
  t.strictSame(
    refusals.map(([change]) => read(change)),
    refusals.map(([, message]) => message),
  )
})

t.test(
  'in development secrets are made once and kept; the development login stays on loopback',
  async (t) => {
    const cwd = temporaryFolder()
    let made = 0
    const random = (): string => {
      made += 1
      return secret(String(made))
    }
    const first = readEnvironment({}, cwd, random)
    const second = readEnvironment({}, cwd, random)
    t.strictSame([first.jwtSecrets, first.sessionSecrets], [[secret('1')], [secret('2')]])
    t.strictSame([second.jwtSecrets, second.sessionSecrets], [first.jwtSecrets, first.sessionSecrets])
    t.equal(first.baseUrl, 'http://localhost:3000')
    const refusal = 'DEV_LOGIN signs anybody in: it is refused in production and off loopback'
    for (const off of [{ HOST: '0.0.0.0' }, { BASE_URL: 'http://192.168.1.2:3000' }]) {
      t.throws(() => readEnvironment({ DEV_LOGIN: '1', ...off }, cwd, random), { message: refusal })
    }
  },
)

t.test('a secret can be read from a file', async (t) => {
  const file = join(temporaryFolder(), 'jwt')
  writeFileSync(file, `${secret('F')}\n`)
  const environment = readEnvironment({ ...strong, JWT_SECRET_FILE: file }, '/nowhere', neverRandom)
  t.strictSame(environment.jwtSecrets, [secret('F')])
})

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
      'app/config.ts: config.mcp.authCacheTtlSeconds must be a positive number',
    ],
    [{ providers: { Big: {} } }, 'app/config.ts: config.providers.Big must be named with a-z, 0-9 and -'],
    [
      { providers: { a: { issuer: '' } } },
      'app/config.ts: config.providers.a.issuer must be an https address, or http on loopback',
    ],
    [{ log: { mask: 'x' } }, 'app/config.ts: config.log.mask must be a list of texts'],
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

t.test('serve refuses a mcp.yml that is not the one of the bundle, and leaves nothing behind', async (t) => {
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
})

t.test('serve refuses a folder whose bundle is something else', async (t) => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, '.acmcp'))
  writeFileSync(join(cwd, '.acmcp', 'app.mjs'), 'export const routes = []')
  t.equal(
    await refusalIn(cwd),
    `${join(cwd, '.acmcp', 'app.mjs')} is not a bundle of this version: run acmcp build`,
  )
})

t.test('a probe that is no route stops the boot in one line and closes the store', async (t) => {
  const open = openTestApp({
    change: (bundle) => ({ ...bundle, config: { mcp: { authProbe: '/nowhere' } } }),
  })
  await t.rejects(open, { name: 'BootError', message: /authProbe/ })
})
