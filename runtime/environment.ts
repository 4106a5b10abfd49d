/** The environment of `acmcp serve`. Source: decisions.md, Environment. Every refusal is one clear line. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BootError } from './boot-error.ts'

export interface Environment {
  readonly production: boolean
  readonly host: string
  readonly port: number
  /** Without a trailing slash; the only source of public addresses. */
  readonly baseUrl: string
  readonly databaseUrl: string
  readonly jwtSecrets: readonly string[]
  readonly sessionSecrets: readonly string[]
  readonly devLogin: boolean
  readonly logLevel: string
}

export type Variables = Readonly<Record<string, string | undefined>>

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]', '::1'])

/** Reads and checks the variables; in development missing secrets are made once (`randomSecret`) and kept under
 *  `<cwd>/data/`. Throws `BootError`. */
export function readEnvironment(variables: Variables, cwd: string, randomSecret: () => string): Environment {
  const production = variables.NODE_ENV === 'production'
  const port = readPort(variables.PORT)
  const host = variables.HOST ?? (production ? '0.0.0.0' : '127.0.0.1')
  const keep = production ? null : { folder: join(cwd, 'data'), randomSecret }
  const environment = {
    production,
    host,
    port,
    baseUrl: readBaseUrl(variables.BASE_URL, production, port),
    databaseUrl: variables.DATABASE_URL ?? `sqlite:${join(cwd, 'data', 'acmcp.db')}`,
    jwtSecrets: readSecrets('JWT_SECRET', variables, keep),
    sessionSecrets: readSecrets('SESSION_SECRET', variables, keep),
    devLogin: variables.DEV_LOGIN === '1',
    logLevel: variables.LOG_LEVEL ?? 'info',
  }
  refuseWeakness(environment)
  return environment
}

function readPort(text: string | undefined): number {
  const port = Number(text ?? '3000')
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new BootError(`PORT must be a port number, not ${text}`)
  return port
}

function readBaseUrl(text: string | undefined, production: boolean, port: number): string {
  if (text === undefined) {
    if (production) throw new BootError('BASE_URL is required in production')
    return `http://localhost:${port}`
  }
  if (!URL.canParse(text)) throw new BootError(`BASE_URL is not a URL: ${text}`)
  const url = new URL(text)
  const isOrigin = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  if (!/^https?:$/.test(url.protocol) || !isOrigin) {
    throw new BootError('BASE_URL must be an http or https address without path, query, fragment and user')
  }
  return text.replace(/\/+$/, '')
}

interface Keep {
  readonly folder: string
  readonly randomSecret: () => string
}

function readSecrets(name: string, variables: Variables, keep: Keep | null): readonly string[] {
  const file = variables[`${name}_FILE`]
  const text = file === undefined ? variables[name] : readFileSync(file, 'utf8').trim()
  if (text !== undefined && text !== '') return text.split(',').map((secret) => secret.trim())
  if (keep === null) throw new BootError(`${name} is required in production`)
  return [keptSecret(join(keep.folder, `${name.toLowerCase()}.txt`), keep)]
}

/** Made by the first process that starts; the others read it. */
function keptSecret(file: string, keep: Keep): string {
  mkdirSync(keep.folder, { recursive: true })
  try {
    writeFileSync(file, keep.randomSecret(), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return readFileSync(file, 'utf8').trim()
}

function refuseWeakness(environment: Environment): void {
  const { hostname, protocol } = new URL(environment.baseUrl)
  const local = loopbackHosts.has(hostname)
  if (environment.devLogin && (environment.production || !local || !loopbackHosts.has(environment.host))) {
    throw new BootError('DEV_LOGIN signs anybody in: it is refused in production and off loopback')
  }
  for (const secret of [...environment.jwtSecrets, ...environment.sessionSecrets]) {
    if (Buffer.byteLength(secret) < 32)
      throw new BootError('JWT_SECRET and SESSION_SECRET need at least 32 bytes each')
  }
  if (!environment.production) return
  if (protocol === 'http:' && !local) throw new BootError('BASE_URL must be https in production')
  if (environment.databaseUrl === 'sqlite::memory:')
    throw new BootError('sqlite::memory: is refused in production')
  refuseWeakSecrets(environment)
}

function refuseWeakSecrets({ jwtSecrets, sessionSecrets }: Environment): void {
  if (jwtSecrets.some((secret) => sessionSecrets.includes(secret))) {
    throw new BootError('JWT_SECRET and SESSION_SECRET must differ')
  }
  for (const secret of [...jwtSecrets, ...sessionSecrets]) {
    if (new Set(secret).size < 8) throw new BootError('a secret that repeats a few characters is refused')
    if (/change.?me|secret|example|default/i.test(secret))
      throw new BootError('an example secret is refused in production')
  }
}
