/** The application in this process, without a socket, as `acmcp call` and `acmcp token` need it: on the store and with the
 *  secrets of `acmcp serve`. It makes credentials, so that production refuses it. */
import { randomBytes } from 'node:crypto'
import { type Application, createApplication } from '../boot/application.ts'
import { BootError } from '../boot/boot-error.ts'
import { loadBundle } from '../boot/bundle.ts'
import { readEnvironment, type Variables } from '../boot/environment.ts'
import { misspeltVariables } from '../boot/misspelt-variables.ts'
import { staleSources, staleText } from '../boot/stale-build.ts'
import { storeRefusal } from '../boot/store-trouble.ts'
import type { Clock, User } from '../contract/store.ts'
import type { LogStream } from '../http/log/log.ts'
import { traceSources } from '../http/log/stack-traces.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { developer } from '../oauth/providers/dev-login.ts'
import type { DevelopmentToken } from '../oauth/tokens/development-token.ts'
import { apiScope } from '../scopes.ts'
import { type Store, UserBlocked } from '../store/store.ts'
import { readableLine } from './readable-log.ts'

export interface DevelopmentOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Variables
  /** Milliseconds since the epoch. */
  readonly clock: Clock
  /** Receives the log, from `warn` on when `LOG_LEVEL` is not set, and whatever else is not the outcome. */
  readonly warn: (line: string) => void
  /** Whether people read what `warn` writes. */
  readonly isTerminal: boolean
}

export interface DevelopmentApp {
  readonly application: Application
  readonly baseUrl: string
  /** A token of the user whom `as` names: one of the store by id, `ada` = the development user `dev:ada`, who is made when
   *  absent, null = whom the development login signs in. `scope`: null = `api`. Throws `BootError` when there is no such user, or one who may
   *  have none of it. */
  tokenFor(as: string | null, scope: string | null): Promise<DevelopmentToken & { readonly user: User }>
  close(): Promise<void>
}

/** Throws `BootError` when it must not start. */
export async function openDevelopmentApp(options: DevelopmentOptions): Promise<DevelopmentApp> {
  const { cwd, env, clock, warn } = options
  if (env.NODE_ENV === 'production')
    throw new BootError(
      'this makes credentials: it is for development, and refused when NODE_ENV is production',
    )
  traceSources() // before the bundle
  const bundle = await loadBundle(cwd)
  const variables = { ...env, LOG_LEVEL: env.LOG_LEVEL || 'warn' }
  const environment = readEnvironment(variables, cwd, () => randomBytes(32).toString('base64url'))
  const stale = staleSources(cwd)
  for (const line of [...misspeltVariables(env), ...(stale.length > 0 ? [staleText(stale)] : [])])
    warn(`acmcp: ${line}`)
  const application = await createApplication(bundle, {
    environment,
    migrate: true,
    clock,
    randomBytes: (count) => randomBytes(count),
    logStream: logTo(options),
  })
  await application.server.ready()
  return {
    application,
    baseUrl: environment.baseUrl,
    tokenFor: (as, scope) =>
      tokenFor(application, as, scope).catch((error: unknown) => {
        throw error instanceof OAuthError || error instanceof UserBlocked
          ? new BootError(error.message)
          : storeRefusal(error)
      }),
    close: application.close,
  }
}

/** Audit lines are written at every level: they are of use to a developer who asked for a log. */
function logTo({ env, warn, isTerminal }: DevelopmentOptions): LogStream {
  const isQuiet = !env.LOG_LEVEL
  return {
    write: (line) => {
      if (isQuiet && line.includes('"msg":"audit"')) return
      warn(isTerminal ? readableLine(line) : line.trimEnd())
    },
  }
}

async function tokenFor(
  application: Application,
  as: string | null,
  scope: string | null,
): ReturnType<DevelopmentApp['tokenFor']> {
  const user = await findOrMake(application.store, as)
  return { user, ...(await application.developmentToken(user.id, scope ?? apiScope)) }
}

async function findOrMake(store: Store, as: string | null): Promise<User> {
  const made = as === null ? developer : { id: `dev:${as}`, name: as, email: `${as}@localhost` }
  const id = as?.includes(':') === true ? as : made.id
  const found = await store.findUser(id)
  if (found !== null) return found
  if (id !== made.id)
    throw new BootError(
      `the store has no user ${id}: sign in as that user once, or give a name without a colon, which makes a development user`,
    )
  await store.saveUser(made)
  return made
}
