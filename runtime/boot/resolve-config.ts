/** The application's configuration as the rest of the runtime works with it: checked, and with every default filled in. */

import type { Logger } from '../contract/store.ts'
import { profiles } from '../oauth/profile.ts'
import { createScopes } from '../scopes.ts'
import { BootError } from './boot-error.ts'
import type { CoreConfig } from './config.ts'
import type { Environment } from './environment.ts'
import type { ResolvedConfig } from './resolved-config.ts'
import { allSettings, checkCapabilities } from './settings/all-settings.ts'
import { ConfigError } from './settings/checks.ts'
import { checkConfidentialClients } from './settings/confidential-clients.ts'
import { coreSettings } from './settings/table.ts'

/** Checks and completes what `app/config.ts` exported. Throws `ConfigError` with the field's name. */
export function resolveConfig(exported: unknown): ResolvedConfig {
  allSettings.check('config', exported)
  const config = exported as CoreConfig // every field was checked above
  const resolved = coreSettings.read(config)
  const scopes = createScopes(resolved.scopes)
  checkConfidentialClients('config.oauth', resolved)
  const whole = { ...resolved, serviceName: config.mcp?.serverName ?? null, scopes, written: config }
  checkCapabilities(whole)
  const ignored = scopes.declared.find(({ name }) => profiles[resolved.oauth.profile].ignoredScopes.has(name))
  if (ignored !== undefined)
    throw new ConfigError(
      `config.scopes['${ignored.name}'] is a scope that oauth.profile '${resolved.oauth.profile}' ignores: name it otherwise`,
    )
  return whole
}

/** The same for a command. Throws `BootError`. */
export function startableConfig(exported: unknown): ResolvedConfig {
  try {
    return resolveConfig(exported)
  } catch (error) {
    if (error instanceof ConfigError) throw new BootError(error.message)
    throw error
  }
}

/** The same where further names never reach the log. */
export const withMask = (config: ResolvedConfig, names: readonly string[]): ResolvedConfig => ({
  ...config,
  log: { ...config.log, mask: [...config.log.mask, ...names] },
})

/** What people call the service. */
export const serviceNameOf = ({ serviceName }: ResolvedConfig, baseUrl: string): string =>
  serviceName ?? new URL(baseUrl).host

/** Warns where no user can sign in: an application with API keys alone wants that, any other has forgotten something. */
export function warnOfNobody(
  { providers }: ResolvedConfig,
  { production, devLogin }: Pick<Environment, 'production' | 'devLogin'>,
  log: Logger,
): void {
  if (!production || devLogin || Object.keys(providers).length > 0) return
  log.warn({}, 'no identity provider is configured: nobody can sign in')
}

/** A developer behind a public address looks for the page with the exception. */
export function warnOfHiddenErrors(
  { errors }: ResolvedConfig,
  { isOpenByDefault }: Pick<Environment, 'isOpenByDefault'>,
  log: Logger,
): void {
  if (isOpenByDefault !== true || errors.production !== null) return
  log.warn(
    {},
    'NODE_ENV is not set and others than this machine may come: errors tell nothing about the code. Write NODE_ENV=production, or NODE_ENV=development to show them',
  )
}

/** Where the configuration names none; the prefix is for https alone. Source: RFC 6265bis, 4.1.3. */
export const defaultCookieName = (isSecure: boolean): string =>
  isSecure ? '__Host-acmcp_session' : 'acmcp_session'
