/** Every environment variable of `acmcp serve` and `acmcp store` as entries. */
import { defaults, logLevels, modes } from '../../../runtime/boot/environment.ts'
import type { Entry } from '../entry.ts'

interface VariableText {
  readonly type: string
  readonly default: string
  readonly meaning: string
  readonly example: string
}

const inFile = (name: string): VariableText => ({
  type: 'the path of a file',
  default: 'none',
  meaning: `The file that holds what ${name} would hold, for secrets that are mounted. Set one of the two.`,
  example: `/run/secrets/${name.toLowerCase()}`,
})
const secret = (name: string, use: string): VariableText => ({
  type: 'texts of 32 bytes or more, separated by commas',
  default: `made once and kept in data/${name.toLowerCase()}.txt; required in production`,
  meaning: `${use} The first is used, all are accepted: to rotate, put the new one first, and remove the old one when what it signed has expired (30 days). In production example words, repeated characters and a value shared with the other secret are refused.`,
  example: '6f1ed002ab5595859014ebf0951522d9,c4ca4238a0b923820dcc509a6f75849b',
})

const poolSeconds = (seconds: number, meaning: string): VariableText => ({
  type: 'seconds, from 1 to 3600',
  default: String(seconds),
  meaning: `${meaning} PostgreSQL only.`,
  example: '30',
})

export const variableTexts: Readonly<Record<string, VariableText>> = {
  NODE_ENV: {
    type: [...modes].join(', '),
    default: 'development',
    meaning:
      'In production weak settings and a store that is behind are refused, the log is JSON, and errors tell nothing about the code.',
    example: 'production',
  },
  HOST: {
    type: 'an address of this machine',
    default: `${defaults.host.otherwise}; ${defaults.host.production} in production`,
    meaning: 'Where to listen.',
    example: '127.0.0.1',
  },
  PORT: {
    type: 'a port number; 0 takes a free one',
    default: defaults.port,
    meaning: 'Where to listen.',
    example: '8080',
  },
  BASE_URL: {
    type: 'an http or https origin, without path, query, fragment and user',
    default: 'http://localhost:PORT; required in production',
    meaning:
      'The public address of the server, and the only source of addresses that it tells others. In production it must be https, but on loopback.',
    example: 'https://shop.example.org',
  },
  DATABASE_URL: {
    type: 'sqlite:path or postgres://…',
    default: `sqlite:${defaults.database}`,
    meaning:
      'Where users, clients, tokens and sessions are kept, and the tables of the application. PostgreSQL for several instances.',
    example: 'postgres://shop@db.internal/shop',
  },
  DATABASE_POOL: {
    type: 'a whole number from 2 to 1000',
    default: String(defaults.pool.size),
    meaning:
      'How many connections to PostgreSQL a process opens at most for requests. One more tells other instances what they must know. Not asked on SQLite.',
    example: '20',
  },
  DATABASE_CONNECT_SECONDS: poolSeconds(
    defaults.pool.connectSeconds,
    'How long a request waits for a connection, from the pool or from the server. Then it is answered with 503.',
  ),
  DATABASE_IDLE_SECONDS: poolSeconds(
    defaults.pool.idleSeconds,
    'How long a connection that nobody uses stays open.',
  ),
  DATABASE_STATEMENT_SECONDS: poolSeconds(
    defaults.pool.statementSeconds,
    'How long PostgreSQL works on one statement of a request. Migrations may take as long as they need.',
  ),
  JWT_SECRET: secret(
    'JWT_SECRET',
    'Signs access tokens, codes and refresh tokens (HS256) where there is no JWT_PRIVATE_KEYS.',
  ),
  JWT_SECRET_FILE: inFile('JWT_SECRET'),
  SESSION_SECRET: secret(
    'SESSION_SECRET',
    'Signs the session cookie of browsers, and what the MCP endpoint gives to clients to be sent back.',
  ),
  SESSION_SECRET_FILE: inFile('SESSION_SECRET'),
  JWT_PRIVATE_KEYS: {
    type: 'private keys as PKCS#8 PEM or JWK: P-256, Ed25519 or RSA',
    default: 'none',
    meaning:
      'Signs tokens with the first key instead of JWT_SECRET; all are accepted. The public parts are at /.well-known/jwks.json, so that others can verify tokens.',
    example: '"$(cat keys.pem)"',
  },
  JWT_PRIVATE_KEYS_FILE: inFile('JWT_PRIVATE_KEYS'),
  DEV_LOGIN: {
    type: '0, 1',
    default: '0',
    meaning:
      'Signs anybody in with one click at /auth, without a provider, for development. Refused in production and where HOST or BASE_URL is not loopback.',
    example: '1',
  },
  LOG_LEVEL: {
    type: [...logLevels].join(', '),
    default: defaults.logLevel,
    meaning:
      'What is logged. Audit lines are written at every level but silent; a line for each tool call from info down.',
    example: 'warn',
  },
  SHUTDOWN_DELAY_SECONDS: {
    type: 'a whole number of seconds, at most 600',
    default: defaults.shutdownDelaySeconds,
    meaning:
      'How long the server serves on after SIGTERM while /readyz says 503, so that load balancers send elsewhere before the port closes.',
    example: '5',
  },
}

export const variableEntries = (): readonly Entry[] =>
  Object.entries(variableTexts).map(([name, text]) => ({
    kind: 'environment variable',
    name,
    aliases: [],
    facts: [
      ['must be', text.type],
      ['default', text.default],
    ],
    meaning: text.meaning,
    samples: [{ label: 'example', text: `${name}=${text.example}` }],
  }))
