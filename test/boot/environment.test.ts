/** The environment of `acmcp serve`, through the real boot: what is read, what is refused, in one line that names the
 *  setting. Source: rules.md, Environment. */
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { BootError } from '../../runtime/boot/boot-error.ts'
import { readEnvironment, type Variables } from '../../runtime/boot/environment.ts'
import { misspeltVariables } from '../../runtime/boot/misspelt-variables.ts'
import { serve } from '../../runtime/serve/serve.ts'
import { openTestApp } from '../../runtime/testing.ts'
import { temporaryFolder } from '../flow/support.ts'
import { freePort } from '../support/free-port.ts'
import { builtFolder } from '../support/linked.ts'

const secret = (letter: string): string => `${letter}0123456789abcdefghijklmnopqrstuvwxyz`

const folder = temporaryFolder()
const production: Variables = {
  NODE_ENV: 'production',
  PORT: '0',
  HOST: '127.0.0.1',
  BASE_URL: 'https://notes.example.org/',
  DATABASE_URL: `sqlite:${join(folder, 'acmcp.db')}`,
  JWT_SECRET: secret('J'),
  SESSION_SECRET: secret('S'),
  LOG_LEVEL: 'silent',
}

const neverRandom = (): string => {
  throw new Error('a secret was made')
}

const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** What the boot says, or that it served. */
async function boot(change: Variables, migrate = true): Promise<string> {
  const env = { ...production, ...change }
  try {
    const served = await serve({ cwd: process.cwd(), env, migrate, print: () => {} })
    await served.close()
    return 'served'
  } catch (error) {
    return error instanceof BootError ? error.message : `not a refusal: ${error}`
  }
}

const pem = (type: 'ed25519' | 'ed448'): string =>
  generateKeyPairSync(type as 'ed25519')
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
const smallRsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey

const short = (name: string): string => `${name}: every secret needs at least 32 bytes`
const repeated = (name: string): string =>
  `${name}: a secret that repeats a few characters is refused in production`
const example = (name: string): string => `${name}: an example secret is refused in production`
const origin = 'BASE_URL must be an http or https address without path, query, fragment and user'
const developer = 'DEV_LOGIN signs anybody in: it is refused in production and off loopback'
const malformedKeys = 'JWT_PRIVATE_KEYS: expected private keys as PKCS#8 PEM, or as JSON Web Keys'
const kindOfKey = 'JWT_PRIVATE_KEYS: a key must be P-256, Ed25519, or RSA of at least 2048 bits'
const modes = 'NODE_ENV must be one of production, development, test, not '

/** The defects of one secret, alike for both settings, alone, in a list and in a file. */
const weakSecrets = (['JWT_SECRET', 'SESSION_SECRET'] as const).flatMap((name) => {
  const weak: readonly (readonly [string, string])[] = [
    ['short', short(name)],
    ['x'.repeat(31), short(name)],
    ['a'.repeat(64), repeated(name)],
    ['ab'.repeat(20), repeated(name)],
    ['abcdefghij'.repeat(4), repeated(name)],
    [`change-me ${secret('C')}`, example(name)],
    [`changeme${secret('C')}`, example(name)],
    [`my-secret-${secret('C')}`, example(name)],
    [`password ${secret('C')}`, example(name)],
    [`DEFAULT${secret('C')}`, example(name)],
    [`example ${secret('C')}`, example(name)],
    [`replace this ${secret('C')}`, example(name)],
    [`your-key-${secret('C')}`, example(name)],
  ]
  const strong = secret('X')
  return weak.flatMap(([value, message]): (readonly [string, Variables, string])[] => [
    [`${name} ${value}`, { [name]: value }, message],
    [`${name} second in a list: ${value}`, { [name]: `${strong},${value}` }, message],
    [`${name} first in a list: ${value}`, { [name]: `${value},${strong}` }, message],
    [
      `${name}_FILE: ${value}`,
      { [name]: undefined, [`${name}_FILE`]: file(`${name}-${value.length}`, `${value}\n`) },
      message,
    ],
  ])
})

const refusals: readonly (readonly [string, Variables, string])[] = [
  ...weakSecrets,
  ['no JWT_SECRET', { JWT_SECRET: undefined }, 'JWT_SECRET is required in production'],
  ['empty JWT_SECRET', { JWT_SECRET: '' }, 'JWT_SECRET is required in production'],
  ['no SESSION_SECRET', { SESSION_SECRET: undefined }, 'SESSION_SECRET is required in production'],
  ['empty SESSION_SECRET', { SESSION_SECRET: '' }, 'SESSION_SECRET is required in production'],
  ['empty entry of a list', { JWT_SECRET: `${secret('J')},` }, short('JWT_SECRET')],
  ['shared', { SESSION_SECRET: secret('J') }, 'JWT_SECRET and SESSION_SECRET must differ'],
  [
    'shared inside lists',
    { JWT_SECRET: `${secret('A')},${secret('B')}`, SESSION_SECRET: `${secret('C')}, ${secret('B')}` },
    'JWT_SECRET and SESSION_SECRET must differ',
  ],
  [
    'shared through files',
    {
      JWT_SECRET: undefined,
      SESSION_SECRET: undefined,
      JWT_SECRET_FILE: file('shared-a', secret('F')),
      SESSION_SECRET_FILE: file('shared-b', `${secret('F')}\n`),
    },
    'JWT_SECRET and SESSION_SECRET must differ',
  ],
  [
    'a value and a file',
    { JWT_SECRET_FILE: file('both', secret('F')) },
    'set JWT_SECRET or JWT_SECRET_FILE, not both',
  ],
  [
    'a file that is not there',
    { SESSION_SECRET: undefined, SESSION_SECRET_FILE: '/nowhere/secret' },
    'SESSION_SECRET_FILE: /nowhere/secret cannot be read (ENOENT)',
  ],
  [
    'an empty file',
    { JWT_SECRET: undefined, JWT_SECRET_FILE: file('empty', '\n') },
    `JWT_SECRET_FILE: ${join(folder, 'empty')} is empty`,
  ],
  ['no BASE_URL', { BASE_URL: undefined }, 'BASE_URL is required in production'],
  ['empty BASE_URL', { BASE_URL: '' }, 'BASE_URL is required in production'],
  ['http off loopback', { BASE_URL: 'http://notes.example.org' }, 'BASE_URL must be https in production'],
  ['http on a look-alike', { BASE_URL: 'http://localhost.evil' }, 'BASE_URL must be https in production'],
  ['http on every address', { BASE_URL: 'http://0.0.0.0:3000' }, 'BASE_URL must be https in production'],
  ['no URL', { BASE_URL: 'notes' }, 'BASE_URL is not a URL: notes'],
  ...[
    'https://notes.example.org/app',
    'https://notes.example.org//',
    'https://notes.example.org?a=1',
    'https://notes.example.org/?',
    'https://notes.example.org/#top',
    'https://notes.example.org/#',
    'https://user@notes.example.org',
    'https://:password@notes.example.org',
    'https://notes.example.org/ ',
    'https:\\\\notes.example.org',
    'ftp://notes.example.org',
    'javascript:alert(1)',
  ].map((url) => [`BASE_URL ${url}`, { BASE_URL: url }, origin] as const),
  ['DEV_LOGIN', { DEV_LOGIN: '1' }, developer],
  ['DEV_LOGIN on loopback', { DEV_LOGIN: '1', BASE_URL: 'http://localhost:3000' }, developer],
  ['DEV_LOGIN=true', { DEV_LOGIN: 'true' }, 'DEV_LOGIN must be one of 0, 1, not true'],
  [
    'a store in memory',
    { DATABASE_URL: 'sqlite::memory:' },
    'DATABASE_URL: sqlite::memory: is refused in production',
  ],
  [
    'a store in memory by another name',
    { DATABASE_URL: 'sqlite:file::memory:?cache=shared' },
    'DATABASE_URL: sqlite::memory: is refused in production',
  ],
  ...['mysql://u:p@db/notes', 'sqlite:', 'acmcp.db', 'postgres:notes'].map(
    (url) =>
      [
        `DATABASE_URL ${url}`,
        { DATABASE_URL: url },
        'DATABASE_URL must be sqlite:path or postgres://…',
      ] as const,
  ),
  ...[
    'postgres://u:pa#ss@db/notes',
    'postgres://u:p@ss/w@db/notes',
    'postgres://u:p/w@db/notes',
    'postgres://u:p?w@db/notes',
    'postgres://u:p@db:x/notes',
  ].map(
    (url) =>
      [
        `DATABASE_URL ${url}`,
        { DATABASE_URL: url },
        'DATABASE_URL is no address of PostgreSQL: percent-encode the password (in user and password write @ as %40, # as %23, / as %2F, ? as %3F)',
      ] as const,
  ),
  ...['http', '65536', '-1', '80.5', '0x50', '1e3', ' 80'].map(
    (port) => [`PORT ${port}`, { PORT: port }, `PORT must be a port number, not ${port}`] as const,
  ),
  ['NODE_ENV=prod', { NODE_ENV: 'prod' }, `${modes}prod`],
  ['NODE_ENV=Production', { NODE_ENV: 'Production' }, `${modes}Production`],
  [
    'LOG_LEVEL',
    { LOG_LEVEL: 'loud' },
    'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not loud',
  ],
  ['METRICS_PORT', { METRICS_PORT: '70000' }, 'METRICS_PORT must be a port number, not 70000'],
  [
    'METRICS_HOST off loopback without a token',
    { METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' },
    'METRICS_HOST: off loopback /metrics is for those alone who have a token: set METRICS_TOKEN',
  ],
  [
    'METRICS_HOST alone',
    { METRICS_HOST: '127.0.0.1' },
    'METRICS_HOST is where METRICS_PORT listens: set both',
  ],
  ['METRICS_TOKEN', { METRICS_TOKEN: 'short' }, 'METRICS_TOKEN: every secret needs at least 32 bytes'],
  ['keys that are none', { JWT_PRIVATE_KEYS: 'a private key' }, malformedKeys],
  ['half a PEM', { JWT_PRIVATE_KEYS: pem('ed25519').slice(0, 60) }, malformedKeys],
  ['PEM and something', { JWT_PRIVATE_KEYS: `${pem('ed25519')} and more` }, malformedKeys],
  ['JSON that is none', { JWT_PRIVATE_KEYS: '{"kty":' }, malformedKeys],
  ['an empty key set', { JWT_PRIVATE_KEYS: '{"keys":[]}' }, malformedKeys],
  [
    'a public JWK',
    {
      JWT_PRIVATE_KEYS: JSON.stringify(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })),
    },
    malformedKeys,
  ],
  ['a curve that is not offered', { JWT_PRIVATE_KEYS: pem('ed448') }, kindOfKey],
  [
    'RSA of 1024 bits',
    { JWT_PRIVATE_KEYS: smallRsa.export({ type: 'pkcs8', format: 'pem' }).toString() },
    kindOfKey,
  ],
]

t.test(
  'decisions, Environment: every weak production configuration is refused in one line that names the setting',
  async (t) => {
    for (const [name, change, message] of refusals) {
      t.equal(await boot(change), message, name)
      t.notMatch(message, '\n')
    }
    t.ok(refusals.length >= 130, `${refusals.length} configurations`)
  },
)

t.test('boot: an unmigrated store is refused, nothing is written, --migrate applies', async (t) => {
  const DATABASE_URL = `sqlite:${join(temporaryFolder(), 'new.db')}`
  t.match(await boot({ DATABASE_URL }, false), /^the store is behind: /)
  t.match(await boot({ DATABASE_URL }, false), /^the store is behind: /)
  t.equal(await boot({ DATABASE_URL }), 'served')
  t.equal(await boot({ DATABASE_URL }, false), 'served')
})

t.test('boot: the development page is refused in production', async (t) => {
  const open = openTestApp({
    environment: { production: true },
    change: (bundle) => ({ ...bundle, config: { errors: { production: false } } }),
  })
  await t.rejects(open, {
    name: 'BootError',
    message: /^errors\.production: false .* refused in production$/,
  })
})

t.test('boot: strong settings serve: lists, files, https, http on loopback, private keys', async (t) => {
  const JWT_SECRET_FILE = file('strong', `${secret('N')},${secret('J')}\n`)
  const accepted: readonly Variables[] = [
    {},
    { JWT_SECRET: randomBytes(32).toString('base64url'), SESSION_SECRET: randomBytes(32).toString('hex') },
    { JWT_SECRET: undefined, JWT_SECRET_FILE },
    { BASE_URL: 'http://127.0.0.1:3000' },
    { BASE_URL: 'http://[::1]:3000' },
    { DEV_LOGIN: '0' },
    { JWT_SECRET: undefined, JWT_PRIVATE_KEYS: pem('ed25519') },
    { JWT_PRIVATE_KEYS_FILE: file('keys.pem', pem('ed25519') + pem('ed25519')) },
  ]
  for (const change of accepted) t.equal(await boot(change), 'served', Object.keys(change).join(' '))
})

t.test(
  'settings: the command names all that are missing, and what was meant for them, a line each, and exits with 1',
  async (t) => {
    const provided = { BASEURL: 'https://notes.example.org', PORTT: String(await freePort()) }
    const env = { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...provided }
    const main = join(process.cwd(), 'dist/cli/main.js')
    try {
      execFileSync(process.execPath, [main, 'serve'], { env, encoding: 'utf8', stdio: 'pipe' })
      t.fail('it served')
    } catch (error) {
      const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string } // execFileSync
      t.strictSame([status, stdout], [1, ''])
      t.equal(
        stderr,
        [
          ...['BASE_URL', 'JWT_SECRET', 'SESSION_SECRET'].map((name) => `${name} is required in production`),
          'BASEURL is read by nobody: did you mean BASE_URL?',
          'PORTT is read by nobody: did you mean PORT?',
        ]
          .map((line) => `acmcp: ${line}\n`)
          .join(''),
      )
    }
  },
)

t.test('off loopback errors are shown only where NODE_ENV says so, and a line tells it', async (t) => {
  const cwd = await builtFolder({
    'package.json': '{"name":"boom","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': "import { defineApp } from 'acmcp'\n\nexport const config = defineApp({})\n",
    'app/controllers/boom.ts': `import { Controller } from 'acmcp'

/** Booms. */
export class Boom extends Controller {
  /** @get / */
  index(): void { throw new Error('of the inside') }
}
`,
  })
  const off = { BASE_URL: 'https://notes.example.org' }
  for (const [variables, isShown] of [
    [{}, true],
    [{ BASE_URL: 'http://127.0.0.1:3000' }, true],
    [off, false],
    [{ BASE_URL: 'http://192.0.2.7:3000' }, false],
    [{ HOST: '0.0.0.0' }, false],
    [{ ...off, NODE_ENV: '' }, false],
    [{ ...off, NODE_ENV: 'development' }, true],
    [{ ...off, NODE_ENV: 'test' }, true],
  ] as const) {
    const { PORT, JWT_SECRET, SESSION_SECRET } = production
    const read = { PORT, JWT_SECRET, SESSION_SECRET, ...variables }
    const lines: string[] = []
    const environment = readEnvironment(read, '/nowhere', neverRandom)
    const shown = { ...environment, databaseUrl: 'sqlite::memory:', logLevel: 'warn', production: false }
    const app = await openTestApp({
      cwd,
      environment: shown,
      logStream: { write: (line) => void lines.push(line) },
    })
    const { statusCode, body } = await app.application.server.inject('/boom')
    await app.close()
    t.strictSame(
      [
        statusCode,
        body.includes('of the inside'),
        lines.some((line) => line.includes('NODE_ENV is not set')),
      ],
      [500, isShown, !isShown && environment.isOpenByDefault],
      JSON.stringify(variables),
    )
    if (!isShown) t.equal(body, '{}')
  }
})

t.test('environment: a complete production environment is read', async (t) => {
  const { PORT: _, HOST: __, DATABASE_URL: ___, LOG_LEVEL: ____, ...strong } = production
  const variables = { ...strong, JWT_SECRET: `${secret('N')}, ${secret('J')}`, PORT: '8080' }
  const { secretsOf, ...environment } = readEnvironment(
    { ...variables, HOST_SECRET: `${secret('A')} , ${secret('B')}` },
    '/nowhere',
    neverRandom,
  )
  t.strictSame(secretsOf?.('HOST_SECRET'), [secret('A'), secret('B')])
  t.strictSame(secretsOf?.('OTHER_SECRET'), [])
  t.strictSame(environment, {
    production: true,
    host: '0.0.0.0',
    port: 8080,
    baseUrl: 'https://notes.example.org',
    databaseUrl: 'sqlite:/nowhere/data/acmcp.db',
    databasePool: { size: 10, connectSeconds: 5, idleSeconds: 10, statementSeconds: 10 },
    jwtSecrets: [secret('N'), secret('J')],
    jwtPrivateKeys: [],
    shutdownDelaySeconds: 0,
    sessionSecrets: [secret('S')],
    devLogin: false,
    logLevel: 'info',
    metrics: null,
    isOpenByDefault: false,
  })
  const token = secret('M')
  const metricsOf = (more: Variables) =>
    readEnvironment({ ...variables, ...more }, '/nowhere', neverRandom).metrics
  t.strictSame(
    [
      metricsOf({ METRICS_PORT: '9464' }),
      metricsOf({ METRICS_TOKEN: token }),
      metricsOf({ METRICS_PORT: '9464', METRICS_HOST: '10.0.0.7', METRICS_TOKEN: token }),
    ],
    [
      { port: 9464, host: '127.0.0.1', token: null },
      { port: null, host: '127.0.0.1', token },
      { port: 9464, host: '10.0.0.7', token },
    ],
  )
})

t.test(
  'the pool of the database: sizes and times of connections are read, and what makes no sense is refused',
  async (t) => {
    const provided = {
      DATABASE_POOL: '25',
      DATABASE_CONNECT_SECONDS: '2',
      DATABASE_IDLE_SECONDS: '60',
      DATABASE_STATEMENT_SECONDS: '30',
    }
    const { databasePool } = readEnvironment({ ...production, ...provided }, '/nowhere', neverRandom)
    t.strictSame(databasePool, { size: 25, connectSeconds: 2, idleSeconds: 60, statementSeconds: 30 })
    const wrong = { DATABASE_POOL: '1', DATABASE_IDLE_SECONDS: '1.5', DATABASE_STATEMENT_SECONDS: '0' }
    t.strictSame((await boot(wrong)).split('\n'), [
      'DATABASE_POOL must be a whole number from 2 to 1000, not 1',
      'DATABASE_IDLE_SECONDS must be a whole number from 1 to 3600, not 1.5',
      'DATABASE_STATEMENT_SECONDS must be a whole number from 1 to 3600, not 0',
    ])
  },
)

t.test(
  'the settings of a start: everything that is wrong is told at once, of each setting the first defect',
  async (t) => {
    const wrong = {
      PORT: 'http',
      BASE_URL: 'notes',
      DATABASE_URL: 'mysql://x',
      JWT_SECRET: 'short',
      SESSION_SECRET: undefined,
      DEV_LOGIN: '1',
      LOG_LEVEL: 'loud',
    }
    t.strictSame((await boot(wrong)).split('\n'), [
      'PORT must be a port number, not http',
      'BASE_URL is not a URL: notes',
      'DATABASE_URL must be sqlite:path or postgres://…',
      'SESSION_SECRET is required in production',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not loud',
      developer,
      short('JWT_SECRET'),
    ])
  },
)

t.test('settings: a variable that is nearly one of ours is named, others are not', (t) => {
  const strangers = {
    HOME: '/',
    HOSTNAME: 'x',
    TEST_DATABASE_URL: 'x',
    NODE_OPTIONS: 'x',
    REDIS_URL: 'x',
    BASH_ENV: 'x',
  }
  const misspelt = {
    DATABSE_URL: 'x',
    ACMCP_PORT: '1',
    BASEURL: 'x',
    JWT_SECRETS: 'x',
    SESION_SECERT: 'x',
    LOGLEVEL: 'x',
    JWT_SECRET_FIEL: 'x',
  }
  t.strictSame(misspeltVariables({ ...strangers, ...misspelt, ...{ NODE_ENVV: undefined } }), [
    'DATABSE_URL is read by nobody: did you mean DATABASE_URL?',
    'ACMCP_PORT is read by nobody: did you mean PORT?',
    'BASEURL is read by nobody: did you mean BASE_URL?',
    'JWT_SECRETS is read by nobody: did you mean JWT_SECRET?',
    'SESION_SECERT is read by nobody: did you mean SESSION_SECRET?',
    'LOGLEVEL is read by nobody: did you mean LOG_LEVEL?',
    'JWT_SECRET_FIEL is read by nobody: did you mean JWT_SECRET_FILE?',
  ])
  t.strictSame(misspeltVariables({ DATABASE_URL: 'sqlite:x', DATABASE_URI: 'x' }), [], 'it was given')
  for (const [name, meant] of [
    ...['PORTT', 'POORT', 'PROT', 'POTR', 'port'].map((text) => [text, 'PORT']),
    ...['HOSTT', 'HSOT', 'Host'].map((text) => [text, 'HOST']),
  ])
    t.strictSame(misspeltVariables({ [name ?? '']: 'x' }), [
      `${name} is read by nobody: did you mean ${meant}?`,
    ])
  const words = [
    'POST',
    'SORT',
    'PORTS',
    'SPORT',
    'EXPORT',
    'COST',
    'GHOST',
    'HOSTS',
    'PORT1',
    'POT',
    'DB_PORT',
  ]
  t.strictSame(misspeltVariables(Object.fromEntries(words.map((word) => [word, 'x']))), [], 'other words')
  t.strictSame(misspeltVariables({ PORT: '1', PORTT: '2' }), [], 'it was given too')
  t.end()
})

t.test(
  'EADDRINUSE and its like: a taken port and a foreign address are one line, and nothing stays open',
  async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    t.teardown(() => taken.close())
    const { port } = taken.address() as AddressInfo // listens on TCP
    t.equal(
      await boot({ PORT: String(port) }),
      `port ${port} of 127.0.0.1 is taken: stop what listens there, or set PORT to another`,
    )
    t.match(await boot({ HOST: '203.0.113.7' }), /^HOST: 203\.0\.113\.7 is no address of this machine/)
  },
)

for (const [HOST, dialed] of [
  ['', '127.0.0.1'],
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', 'localhost'],
  ['0.0.0.0', '127.0.0.1'],
  ['::1', '[::1]'],
  ['[::1]', '[::1]'],
  ['[::]', '[::1]'],
] as const) {
  t.test(`PORT=0, HOST=${HOST}: whatever is said and issued names the port that is bound`, async (t) => {
    const said: string[] = []
    const env = { PORT: '0', HOST, DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'info' }
    const log: string[] = []
    const logStream = { write: (line: string) => void log.push(JSON.parse(line).msg) }
    const served = await serve({ cwd: process.cwd(), env, print: (line) => void said.push(line), logStream })
    t.teardown(() => served.close())
    const { port } = new URL(served.address)
    const base = `http://localhost:${port}`
    const read = async (path: string): Promise<string> =>
      (await fetch(`http://${dialed}:${port}${path}`, { headers: { accept: 'text/html' } })).text()
    const issuer = JSON.parse(await read('/.well-known/oauth-authorization-server'))
    const resource = JSON.parse(await read('/.well-known/oauth-protected-resource/mcp'))
    t.strictSame(
      [issuer.issuer, issuer.token_endpoint, resource.resource, resource.authorization_servers],
      [base, `${base}/oauth/token`, `${base}/mcp`, [base]],
    )
    t.match([await read('/'), await read('/mcp')], [`${base}/mcp`, `${base}/mcp`])
    t.match([said.join(), log.join()], [`acmcp serves ${base}`, `Server listening at ${base}`])
    t.notMatch([...said, ...log].join(), /localhost:0/)
  })
}

t.test('PORT=0 with a BASE_URL: that is what is said and issued', async (t) => {
  const said: string[] = []
  const BASE_URL = 'http://localhost:8765'
  const env = { PORT: '0', BASE_URL, DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'silent' }
  const served = await serve({ cwd: process.cwd(), env, print: (line) => void said.push(line) })
  t.teardown(() => served.close())
  const answer = await fetch(`${served.address}/.well-known/oauth-authorization-server`)
  const { issuer }: { issuer?: string } = JSON.parse(await answer.text())
  t.equal(issuer, BASE_URL)
  t.match(said.join(), `acmcp serves ${BASE_URL}`)
})

t.test('environment: one address has one spelling', async (t) => {
  const spellings = [
    'HTTPS://Notes.Example.ORG',
    'https://notes.example.org:443/',
    'https://notes.example.org',
  ]
  t.strictSame(
    spellings.map((BASE_URL) => readEnvironment({ ...production, BASE_URL }, folder, neverRandom).baseUrl),
    spellings.map(() => 'https://notes.example.org'),
  )
})

t.test(
  'environment: in development secrets are made once, kept with mode 600, and no draft stays',
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
    const files = readdirSync(join(cwd, 'data')).sort()
    t.strictSame(files, ['.gitignore', 'jwt_secret.txt', 'session_secret.txt'])
    t.strictSame(
      files.slice(1).map((name) => statSync(join(cwd, 'data', name)).mode & 0o777),
      [0o600, 0o600],
    )
    t.equal(readFileSync(join(cwd, 'data', 'jwt_secret.txt'), 'utf8'), secret('1'))
    t.equal(first.baseUrl, 'http://localhost:3000')
  },
)

t.test(
  'files of secrets: data/ and its secrets are for their owner only, also when they were not',
  async (t) => {
    const cwd = temporaryFolder()
    const modeOf = (...path: string[]): number => statSync(join(cwd, 'data', ...path)).mode & 0o777
    readEnvironment({}, cwd, () => secret('N'))
    t.strictSame([modeOf(), readFileSync(join(cwd, 'data', '.gitignore'), 'utf8')], [0o700, '*\n'])
    chmodSync(join(cwd, 'data'), 0o755)
    chmodSync(join(cwd, 'data', 'jwt_secret.txt'), 0o644)
    readEnvironment({}, cwd, neverRandom)
    t.strictSame([modeOf(), modeOf('jwt_secret.txt')], [0o700, 0o600])
  },
)

t.test(
  'environment: in development a secret of its own is judged by its length, nothing is made',
  async (t) => {
    const cwd = temporaryFolder()
    const provided = { JWT_SECRET: secret('J'), SESSION_SECRET: secret('J') }
    t.strictSame(readEnvironment(provided, cwd, neverRandom).jwtSecrets, [secret('J')])
    t.notOk(existsSync(join(cwd, 'data')))
    t.throws(() => readEnvironment({ ...provided, JWT_SECRET: 'short' }, cwd, neverRandom), {
      message: short('JWT_SECRET'),
    })
    mkdirSync(join(cwd, 'data'))
    writeFileSync(join(cwd, 'data', 'jwt_secret.txt'), '')
    t.throws(() => readEnvironment({ SESSION_SECRET: secret('S') }, cwd, neverRandom), {
      message: short('JWT_SECRET'),
    })
  },
)

t.test('decisions, Environment: the development login stays on loopback', async (t) => {
  const provided = { JWT_SECRET: secret('J'), SESSION_SECRET: secret('S'), DEV_LOGIN: '1' }
  t.equal(readEnvironment(provided, folder, neverRandom).devLogin, true)
  for (const off of [{ HOST: '0.0.0.0' }, { HOST: '::' }, { BASE_URL: 'http://192.168.1.2:3000' }]) {
    t.throws(() => readEnvironment({ ...provided, ...off }, folder, neverRandom), { message: developer })
  }
})

t.test('environment: private keys as PEM, PEM with written line breaks, JWK, list and set', async (t) => {
  const keys = [generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-256' })]
  const pems = keys.map(({ privateKey }) => String(privateKey.export({ type: 'pkcs8', format: 'pem' })))
  const jwks = keys.map(({ privateKey }) => privateKey.export({ format: 'jwk' }))
  const spellings = [
    pems.join(''),
    pems.join('\n').replaceAll('\n', '\\n'),
    JSON.stringify(jwks),
    ` ${JSON.stringify({ keys: jwks })}`,
  ]
  const read = (JWT_PRIVATE_KEYS: string): unknown =>
    readEnvironment(
      { ...production, JWT_SECRET: '', JWT_PRIVATE_KEYS },
      folder,
      neverRandom,
    ).jwtPrivateKeys.map((key) => key.export({ format: 'jwk' }))
  for (const spelling of spellings) t.strictSame(read(spelling), jwks)
  t.strictSame(read(JSON.stringify(jwks[0])), [jwks[0]])
})

t.test('production without a provider says once that nobody can sign in', async (t) => {
  const google = { clientId: 'c', clientSecret: 's' }
  const warningsOf = async (
    production: boolean,
    devLogin: boolean,
    providers: object,
  ): Promise<unknown[]> => {
    const lines: string[] = []
    const app = await openTestApp({
      environment: { production, devLogin, logLevel: 'warn' },
      change: (bundle) => ({ ...bundle, config: { providers } }),
      logStream: { write: (line) => lines.push(line) },
    })
    await app.close()
    return lines.map((line) => JSON.parse(line).msg)
  }
  const warning = 'no identity provider is configured: nobody can sign in'
  t.strictSame(await warningsOf(true, false, {}), [warning])
  t.strictSame(await warningsOf(true, false, { google }), [])
  t.strictSame(await warningsOf(true, true, {}), [])
  t.strictSame(await warningsOf(false, false, {}), [])
})
