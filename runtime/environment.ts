/** The environment of `acmcp serve`. Source: decisions.md, Environment. Every refusal is one clear line. */
import type { KeyObject } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BootError } from './boot-error.ts'
import { loopbackNames } from './loopback.ts'
import { readPrivateKeys } from './oauth/keys.ts'
import { makePrivateFolder, tighten } from './store/private-files.ts'

export interface Environment {
  readonly production: boolean
  readonly host: string
  readonly port: number
  /** Without a trailing slash; the only source of public addresses. */
  readonly baseUrl: string
  readonly databaseUrl: string
  readonly jwtSecrets: readonly string[]
  /** Asymmetric keys; the first signs. Without any the first secret signs. */
  readonly jwtPrivateKeys: readonly KeyObject[]
  readonly sessionSecrets: readonly string[]
  readonly devLogin: boolean
  readonly logLevel: string
}

export type Variables = Readonly<Record<string, string | undefined>>

const loopbackHosts: ReadonlySet<string> = new Set([...loopbackNames, '::1'])
const modes: ReadonlySet<string> = new Set(['production', 'development', 'test'])
const logLevels: ReadonlySet<string> = new Set('trace,debug,info,warn,error,fatal,silent'.split(','))

/** Reads and checks the variables; an empty one counts as absent. In development missing secrets are made once
 *  (`randomSecret`) and kept under `<cwd>/data/`. Throws `BootError`, which names the setting and never its secret. */
export function readEnvironment(variables: Variables, cwd: string, randomSecret: () => string): Environment {
  const read: Read = (name) => variables[name] || null
  const production = readChoice('NODE_ENV', read, modes) === 'production'
  const port = readPort(read('PORT'))
  const jwtPrivateKeys = readPrivateKeyList(read)
  const keep = production ? null : { folder: join(cwd, 'data'), randomSecret }
  const secrets = { read, keep }
  tighten(join(cwd, 'data'))
  const environment = {
    production,
    host: read('HOST') ?? (production ? '0.0.0.0' : '127.0.0.1'),
    port,
    baseUrl: readBaseUrl(read('BASE_URL'), production, port),
    databaseUrl: readDatabaseUrl(read('DATABASE_URL') ?? `sqlite:${join(cwd, 'data', 'acmcp.db')}`),
    jwtSecrets: readSecrets('JWT_SECRET', { ...secrets, isRequired: jwtPrivateKeys.length === 0 }),
    jwtPrivateKeys,
    sessionSecrets: readSecrets('SESSION_SECRET', { ...secrets, isRequired: true }),
    devLogin: readChoice('DEV_LOGIN', read, new Set(['0', '1'])) === '1',
    logLevel: readChoice('LOG_LEVEL', read, logLevels) ?? 'info',
  }
  refuseWeakness(environment)
  return environment
}

/** The value of a variable; null when it is absent or empty. */
type Read = (name: string) => string | null

function readChoice(name: string, read: Read, choices: ReadonlySet<string>): string | null {
  const value = read(name)
  if (value === null || choices.has(value)) return value
  throw new BootError(`${name} must be one of ${[...choices].join(', ')}, not ${value}`)
}

function readPort(text: string | null): number {
  const port = Number(text ?? '3000')
  if (!/^\d{1,5}$/.test(text ?? '3000') || port > 65535)
    throw new BootError(`PORT must be a port number, not ${text}`)
  return port
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
  if (/^sqlite:.|^postgres(ql)?:\/\/./.test(url)) return url
  throw new BootError('DATABASE_URL must be sqlite:path or postgres://…')
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

function readSecrets(name: string, { read, keep, isRequired }: SecretSource): readonly string[] {
  const text = readText(name, read)
  if (text !== null) return text.split(',').map((secret) => secret.trim())
  if (!isRequired) return []
  if (keep === null) throw new BootError(`${name} is required in production`)
  return [keptSecret(join(keep.folder, `${name.toLowerCase()}.txt`), keep)]
}

/** The variable `name`, or what stands in the file that `<name>_FILE` names. */
function readText(name: string, read: Read): string | null {
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

function refuseWeakness(environment: Environment): void {
  const { baseUrl, devLogin, databaseUrl, production } = environment
  const { hostname, protocol } = new URL(baseUrl)
  const local = loopbackHosts.has(hostname)
  if (devLogin && (production || !local || !loopbackHosts.has(environment.host))) {
    throw new BootError('DEV_LOGIN signs anybody in: it is refused in production and off loopback')
  }
  for (const [name, secret] of namedSecrets(environment)) {
    if (Buffer.byteLength(secret) < 32) throw new BootError(`${name}: every secret needs at least 32 bytes`)
  }
  if (!production) return
  if (protocol === 'http:' && !local) throw new BootError('BASE_URL must be https in production')
  if (databaseUrl.startsWith('sqlite:') && databaseUrl.includes(':memory:'))
    throw new BootError('DATABASE_URL: sqlite::memory: is refused in production')
  refuseWeakSecrets(environment)
}

function namedSecrets({ jwtSecrets, sessionSecrets }: Environment): readonly (readonly [string, string])[] {
  return [
    ...jwtSecrets.map((secret) => ['JWT_SECRET', secret] as const),
    ...sessionSecrets.map((secret) => ['SESSION_SECRET', secret] as const),
  ]
}

const exampleWords = /change.?me|replace.?(me|this)|secret|passw|example|default|sample|your.?(own|key|jwt)/i

function refuseWeakSecrets(environment: Environment): void {
  const { jwtSecrets, sessionSecrets } = environment
  if (jwtSecrets.some((secret) => sessionSecrets.includes(secret))) {
    throw new BootError('JWT_SECRET and SESSION_SECRET must differ')
  }
  for (const [name, secret] of namedSecrets(environment)) {
    if (new Set(secret).size < 8 || /^(.+?)\1+$/s.test(secret))
      throw new BootError(`${name}: a secret that repeats a few characters is refused in production`)
    if (exampleWords.test(secret)) throw new BootError(`${name}: an example secret is refused in production`)
  }
}
