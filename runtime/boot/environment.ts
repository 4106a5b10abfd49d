/** The environment of `acmcp serve`, variable by variable in templates/docs/reference-settings.md. Every refusal is a clear
 *  line. */
// Source: rules.md, Environment.
import type { KeyObject } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLoopbackHost } from '../loopback.ts'
import { readPrivateKeys } from '../oauth/tokens/keys.ts'
import type { PoolLimits } from '../store/pool.ts'
import { makePrivateFolder, tighten } from '../store/sqlite/files/private-files.ts'
import { BootError } from './boot-error.ts'
import { misspeltVariables } from './misspelt-variables.ts'
import {
  type MetricsSettings,
  readMetricsSettings,
  readShutdownDelay,
  secretMistakes,
} from './variable-checks.ts'
import { type VariableName, variableDefaults } from './variables.ts'

export interface Environment {
  readonly production: boolean
  /** True = no mode was set, and others than this machine may come: exceptions are hidden as in production.
   *  Absent = false. */
  readonly isOpenByDefault?: boolean
  readonly host: string
  readonly port: number
  /** Without a trailing slash; the only source of public addresses. */
  readonly baseUrl: string
  readonly databaseUrl: string
  /** Of PostgreSQL alone. */
  readonly databasePool: PoolLimits
  readonly jwtSecrets: readonly string[]
  /** Asymmetric keys; the first signs. Without any the first secret signs. */
  readonly jwtPrivateKeys: readonly KeyObject[]
  readonly sessionSecrets: readonly string[]
  /** The secrets of a variable that the configuration names, or of the file that `<name>_FILE` names; none = it is not set. Throws
   *  `BootError`. Absent = none is set. */
  readonly secretsOf?: (variable: string) => readonly string[]
  readonly devLogin: boolean
  readonly logLevel: string
  /** How long it serves on when it is told to end and is no longer ready. */
  readonly shutdownDelaySeconds: number
  /** Null = there is no `/metrics`. */
  readonly metrics: MetricsSettings | null
}

export type Variables = Readonly<Record<string, string | undefined>>

const modes: ReadonlySet<string> = new Set(['production', 'development', 'test'])
const logLevels: ReadonlySet<string> = new Set('trace,debug,info,warn,error,fatal,silent'.split(','))

/** Reads and checks the variables; an empty one counts as absent. In development missing secrets are made once
 *  (`randomSecret`) and kept under `<cwd>/data/`. Throws `BootError` with a line for everything that is wrong, each of which
 *  names the setting and never its secret. */
export function readEnvironment(variables: Variables, cwd: string, randomSecret: () => string): Environment {
  const read: Read = (name) => variables[name] || null
  const mistakes: string[] = []
  const attempt = collecting(mistakes)
  const mode = attempt(() => readChoice('NODE_ENV', read, modes), 'production') // the stricter one
  const production = mode === 'production'
  const port = attempt(() => readPort(read('PORT')), 0)
  const count = (name: PoolVariable, limits: Count): number => attempt(() => readCount(name, read, limits), 0)
  const isSigned = read('JWT_PRIVATE_KEYS') !== null || read('JWT_PRIVATE_KEYS_FILE') !== null
  const secrets = { read, keep: production ? null : { folder: join(cwd, 'data'), randomSecret } }
  tighten(join(cwd, 'data'))
  const environment = {
    production,
    host: listenHost(variables),
    port,
    baseUrl: attempt(() => readBaseUrl(read('BASE_URL'), production, port), unknownUrl),
    databaseUrl: attempt(() => readStoreAddress(variables, cwd), ''),
    databasePool: {
      size: count('DATABASE_POOL', poolSizes),
      connectSeconds: count('DATABASE_CONNECT_SECONDS', poolSeconds),
      idleSeconds: count('DATABASE_IDLE_SECONDS', poolSeconds),
      statementSeconds: count('DATABASE_STATEMENT_SECONDS', poolSeconds),
    },
    jwtSecrets: attempt(() => readSecrets('JWT_SECRET', { ...secrets, isRequired: !isSigned }), []),
    jwtPrivateKeys: attempt(() => readPrivateKeyList(read), []),
    sessionSecrets: attempt(() => readSecrets('SESSION_SECRET', { ...secrets, isRequired: true }), []),
    secretsOf: (variable: string) => listOf(readText(variable, (name) => variables[name] || null) ?? ''),
    devLogin: attempt(() => readChoice('DEV_LOGIN', read, new Set(['0', '1'])), '') === '1',
    logLevel: attempt(() => readChoice('LOG_LEVEL', read, logLevels), ''),
    shutdownDelaySeconds: attempt(() => readShutdownDelay(variables), 0),
    metrics: attempt(() => readMetricsSettings(read, readText('METRICS_TOKEN', read)), null),
  }
  const all = [...mistakes, ...weaknesses(environment)]
  if (all.length > 0) throw new BootError([...all, ...misspeltVariables(variables)].join('\n'))
  return { ...environment, isOpenByDefault: read('NODE_ENV') === null && !isOfThisMachine(environment) }
}

/** Where it listens; brackets, as a URL has them around IPv6, are no part of it. */
export function listenHost({ HOST, NODE_ENV }: Variables): string {
  if (HOST) return /^\[.*:.*\]$/.test(HOST) ? HOST.slice(1, -1) : HOST
  return NODE_ENV === 'production' ? '0.0.0.0' : variableDefaults.HOST
}

/** Whether no other machine comes, as far as the settings say. */
const isOfThisMachine = ({ baseUrl, host }: Pick<Environment, 'baseUrl' | 'host'>): boolean =>
  isLoopbackHost(new URL(baseUrl).hostname) && isLoopbackHost(host)

/** The address of the store alone: what looks after the store needs no other setting. Throws `BootError`. */
export function readStoreAddress(variables: Variables, cwd: string): string {
  const file = variableDefaults.DATABASE_URL.replace('sqlite:', '')
  return readDatabaseUrl(variables.DATABASE_URL || `sqlite:${join(cwd, file)}`)
}

/** What seals what instances tell each other; none where this process does not know it. Throws `BootError`. */
export function readBusSecrets(variables: Variables, cwd: string): readonly string[] {
  const read: Read = (name) => variables[name] || null
  const secrets = readSecrets('SESSION_SECRET', { read, keep: null, isRequired: false })
  const kept = join(cwd, 'data', 'session_secret.txt')
  if (secrets.length > 0 || variables.NODE_ENV === 'production' || !existsSync(kept)) return secrets
  return [readFileSync(kept, 'utf8').trim()]
}

/** The public address alone, as the server has it. Throws `BootError`. */
export function readPublicUrl(variables: Variables): string {
  const isProduction = variables.NODE_ENV === 'production'
  return readBaseUrl(variables.BASE_URL || null, isProduction, readPort(variables.PORT || null))
}

/** In place of one that could not be read: nothing more is said of it. */
const unknownUrl = 'https://localhost'

/** Returns what was read, or the other value after noting why it could not be. */
function collecting(mistakes: string[]): <Value>(read: () => Value, otherwise: Value) => Value {
  return (read, otherwise) => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof BootError)) throw error
      mistakes.push(error.message)
      return otherwise
    }
  }
}

/** The value of a variable; null when it is absent or empty. */
type Read = (name: VariableName) => string | null

function readChoice(
  name: 'NODE_ENV' | 'LOG_LEVEL' | 'DEV_LOGIN',
  read: Read,
  choices: ReadonlySet<string>,
): string {
  const value = read(name) ?? variableDefaults[name]
  if (choices.has(value)) return value
  throw new BootError(`${name} must be one of ${[...choices].join(', ')}, not ${value}`)
}

function readPort(secrets: string | null): number {
  const text = secrets ?? variableDefaults.PORT
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65535) throw new BootError(`PORT must be a port number, not ${text}`)
  return port
}

type PoolVariable = `DATABASE_${'POOL' | 'CONNECT_SECONDS' | 'IDLE_SECONDS' | 'STATEMENT_SECONDS'}`

interface Count {
  readonly least: number
  readonly most: number
}

/** The purge keeps one connection for itself while it runs. */
const poolSizes: Count = { least: 2, most: 1000 }
const poolSeconds: Count = { least: 1, most: 3600 }

function readCount(name: PoolVariable, read: Read, { least, most }: Count): number {
  const text = read(name)
  if (text === null) return variableDefaults[name]
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= least && count <= most) return count
  throw new BootError(`${name} must be a whole number from ${least} to ${most}, not ${text}`)
}

/** The origin as a URL writes it, so that one address has one spelling in every token and document. */
function readBaseUrl(text: string | null, production: boolean, port: number): string {
  if (text === null) {
    if (production) throw new BootError('BASE_URL is required in production')
    return `http://localhost:${port}`
  }
  if (!URL.canParse(text)) throw new BootError(`BASE_URL is not a URL: ${text}`)
  const url = new URL(text)
  if (!/^https?:$/.test(url.protocol) || url.pathname !== '/' || /[\s?#@\\]/.test(text)) {
    throw new BootError('BASE_URL must be an http or https address without path, query, fragment and user')
  }
  return url.origin
}

/** The address is not repeated: it may hold a password. */
function readDatabaseUrl(url: string): string {
  if (!/^sqlite:.|^postgres(ql)?:\/\/./.test(url))
    throw new BootError('DATABASE_URL must be sqlite:path or postgres://…')
  if (!url.startsWith('sqlite:') && !isPostgresAddress(url)) {
    const how = 'in user and password write @ as %40, # as %23, / as %2F, ? as %3F'
    throw new BootError(`DATABASE_URL is no address of PostgreSQL: percent-encode the password (${how})`)
  }
  return url
}

/** A socket's address has no host (`?host=/path`). An `@` behind the host, or a fragment, is a piece of a password. */
function isPostgresAddress(url: string): boolean {
  const withHost = url.replace('@/', '@socket/')
  if (url.includes('#') || !URL.canParse(withHost)) return false
  const [, authority = '', rest = ''] = /^\w+:\/\/([^/?]*)(.*)$/.exec(withHost) ?? []
  const [path = '', query = ''] = rest.split('?', 2)
  return !path.includes('@') && (authority.includes('@') || !/^[^=]*@/.test(query))
}

function readPrivateKeyList(read: Read): readonly KeyObject[] {
  const text = readText('JWT_PRIVATE_KEYS', read)
  if (text === null) return []
  try {
    return readPrivateKeys(text)
  } catch (error) {
    throw new BootError(`JWT_PRIVATE_KEYS: ${error instanceof Error ? error.message : 'not readable'}`)
  }
}

interface Keep {
  readonly folder: string
  readonly randomSecret: () => string
}

interface SecretSource {
  readonly read: Read
  /** Where a missing secret is made and kept; null in production. */
  readonly keep: Keep | null
  readonly isRequired: boolean
}

function readSecrets(name: FiledVariable, { read, keep, isRequired }: SecretSource): readonly string[] {
  const text = readText(name, read)
  if (text !== null) return listOf(text)
  if (!isRequired) return []
  if (keep === null) throw new BootError(`${name} is required in production`)
  return [keptSecret(join(keep.folder, `${name.toLowerCase()}.txt`), keep)]
}

/** None of the empty text. */
const listOf = (text: string): readonly string[] =>
  text === '' ? [] : text.split(',').map((secret) => secret.trim())

type Filed<Name> = Name extends `${infer Variable}_FILE` ? Variable : never
type FiledVariable = Filed<VariableName>

/** The variable `name`, or what stands in the file that `<name>_FILE` names. */
function readText<Name extends string>(
  name: Name,
  read: (variable: Name | `${Name}_FILE`) => string | null,
): string | null {
  const file = read(`${name}_FILE`)
  if (file === null) return read(name)
  if (read(name) !== null) throw new BootError(`set ${name} or ${name}_FILE, not both`)
  const text = readSecretFile(name, file)
  if (text === '') throw new BootError(`${name}_FILE: ${file} is empty`)
  return text
}

function readSecretFile(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'not readable'
    throw new BootError(`${name}_FILE: ${file} cannot be read (${reason})`)
  }
}

/** Made by the first process that starts; the others read it. It appears under its name only when it is complete. */
function keptSecret(file: string, keep: Keep): string {
  try {
    return readOrMake(file, keep)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new BootError(`a secret cannot be kept: ${reason}`, { cause: error })
  }
}

function readOrMake(file: string, keep: Keep): string {
  makePrivateFolder(keep.folder)
  tighten(file)
  if (!existsSync(file)) {
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, keep.randomSecret(), { mode: 0o600 })
    linkIfAbsent(draft, file)
    rmSync(draft)
  }
  return readFileSync(file, 'utf8').trim()
}

function linkIfAbsent(draft: string, file: string): void {
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

function weaknesses(environment: Environment): readonly string[] {
  const { baseUrl, devLogin, databaseUrl, production, jwtSecrets, sessionSecrets, metrics } = environment
  const { hostname, protocol } = new URL(baseUrl)
  const local = isLoopbackHost(hostname)
  const isOpen = devLogin && (production || !isOfThisMachine(environment))
  const isPlain = production && protocol === 'http:' && !local
  const isInMemory = production && databaseUrl.startsWith('sqlite:') && databaseUrl.includes(':memory:')
  return [
    ...(isOpen ? ['DEV_LOGIN signs anybody in: it is refused in production and off loopback'] : []),
    ...(isPlain ? ['BASE_URL must be https in production'] : []),
    ...(isInMemory ? ['DATABASE_URL: sqlite::memory: is refused in production'] : []),
    ...secretMistakes(
      {
        JWT_SECRET: jwtSecrets,
        SESSION_SECRET: sessionSecrets,
        METRICS_TOKEN: metrics?.token ? [metrics.token] : [],
      },
      production,
    ),
  ]
}
