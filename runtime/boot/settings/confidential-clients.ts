/** The fields of `oauth.confidentialClients`, and what must be right of them when the server starts. */
import type { ConfidentialClientConfig } from '../../contract/application.ts'
import { clientNameOf, redirectUrisOf } from '../../oauth/clients/client-metadata.ts'
import { redirectAddress } from '../../oauth/clients/confidential-clients.ts'
import type { RedirectRules } from '../../oauth/clients/own-endpoints.ts'
import { OAuthError } from '../../oauth/oauth-error.ts'
import { profiles } from '../../oauth/profile.ts'
import { BootError } from '../boot-error.ts'
import type { Environment } from '../environment.ts'
import { defectOf } from '../variable-checks.ts'
import { variableDefaults } from '../variables.ts'
import {
  type Check,
  checkAll,
  checkFields,
  describedCheck,
  type Fields,
  fieldsOf,
  is,
  wrongSetting,
} from './checks.ts'

/** Registered ids are 32 hex digits, those of documents URLs, and ours begin with acmcp-: no id is two clients. */
const isFreeId = (id: unknown): boolean =>
  typeof id === 'string' &&
  /^[a-z0-9-]{1,64}$/.test(id) &&
  !/^[0-9a-f]{32}$/.test(id) &&
  !id.startsWith('acmcp-')

const fields: Fields = fieldsOf<ConfidentialClientConfig>({
  id: is('1 to 64 of a-z, 0-9 and -, not 32 hex digits, and not beginning with acmcp-', isFreeId),
  name: describedCheck('a name that people can read', (at, value) => {
    if (typeof value !== 'string' || value.trim() === '')
      throw wrongSetting(at, `${at} must be a name that people can read`)
    withPlace(at, () => clientNameOf(new Map([['client_name', value]])))
  }),
  redirectUris: is(
    'a list of at least one address',
    (value) =>
      Array.isArray(value) && value.length > 0 && value.every((uri) => typeof uri === 'string' && uri !== ''),
  ),
  secret: is(
    "the name of an environment variable of its own, as 'PERPLEXITY_SECRET'",
    (value) =>
      typeof value === 'string' &&
      /^[A-Za-z_][A-Za-z0-9_]*$/.test(value) &&
      !Object.hasOwn(variableDefaults, value),
  ),
})

function withPlace(at: string, check: () => unknown): void {
  try {
    check()
  } catch (error) {
    throw wrongSetting(at, `${at}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

export const confidentialClients: Check = describedCheck('a list of clients with a secret', (at, value) => {
  is('a list of clients with a secret', Array.isArray)(at, value)
  checkAll(
    (value as readonly unknown[]).map((client, index) => () => {
      const inside = `${at}[${index}]`
      checkFields(inside, client, fields)
      for (const [name, check] of fields) check(`${inside}.${name}`, Reflect.get(Object(client), name))
    }),
  )
})

interface Others {
  readonly oauth: {
    readonly profile: keyof typeof profiles
    readonly confidentialClients: readonly ConfidentialClientConfig[]
  }
}

/** Throws a `ConfigError` for clients that the profile does not have, and for one that has what is another's. */
export function checkConfidentialClients(
  within: string,
  { oauth: { profile, confidentialClients: configured } }: Others,
): void {
  const at = `${within}.confidentialClients`
  if (configured.length > 0 && !profiles[profile].authenticatesClients)
    throw wrongSetting(
      at,
      `${at} is for oauth.profile 'compatible': '${profile}' has no clients with a secret`,
    )
  const addresses = configured.map(({ redirectUris }) => redirectUris.map(redirectAddress))
  checkAll(
    configured.map(({ id, secret }, index) => () => {
      const before = configured.slice(0, index)
      is('the id of no other client', () => !before.some((other) => other.id === id))(
        `${at}[${index}].id`,
        null,
      )
      const isOwn = !before.some((other) => other.secret === secret)
      is('another variable than those of the clients before it', () => isOwn)(`${at}[${index}].secret`, null)
      const taken = new Set(addresses.slice(0, index).flat())
      const isFree = !addresses[index]?.some((address) => taken.has(address))
      is("no other client's addresses", () => isFree)(`${at}[${index}].redirectUris`, null)
    }),
  )
}

/** What clients are checked against when the server starts. */
interface StartRules extends Omit<RedirectRules, 'heldAddresses'> {
  readonly providers: Readonly<Record<string, { readonly clientSecret: string }>>
}

/** The same clients. Throws a `BootError` with a line for each address and secret that will not do; no secret is repeated. */
export function startableClients(
  configured: readonly ConfidentialClientConfig[],
  environment: Pick<Environment, 'secretsOf' | 'production' | 'jwtSecrets' | 'sessionSecrets' | 'metrics'>,
  rules: StartRules,
): readonly ConfidentialClientConfig[] {
  const taken = new Set([
    ...Object.values(rules.providers).map(({ clientSecret }) => clientSecret),
    ...environment.jwtSecrets,
    ...environment.sessionSecrets,
    environment.metrics?.token,
  ])
  const mistakes = configured.flatMap(({ redirectUris, secret: variable }, index) => {
    const at = `app/config.ts: config.oauth.confidentialClients[${index}]`
    const secrets = environment.secretsOf?.(variable) ?? []
    const defects = secrets.flatMap((secret) => defectOf(secret, environment.production) ?? [])
    const isShared = secrets.some((secret) => taken.has(secret))
    for (const secret of secrets) taken.add(secret)
    return [
      ...addressDefects(redirectUris, rules).map((defect) => `${at}.redirectUris: ${defect}`),
      ...(secrets.length === 0 ? [`${at}.secret: ${variable} is not set, nor ${variable}_FILE`] : []),
      ...[...new Set(defects)].map((defect) => `${variable}: ${defect}`),
      ...(isShared ? [`${variable} must differ from every other secret`] : []),
    ]
  })
  if (mistakes.length > 0) throw new BootError(mistakes.join('\n'))
  return configured
}

function addressDefects(
  redirectUris: readonly string[],
  rules: Omit<RedirectRules, 'heldAddresses'>,
): readonly string[] {
  try {
    redirectUrisOf(new Map([['redirect_uris', redirectUris]]), { ...rules, heldAddresses: new Set() })
    return []
  } catch (error) {
    return [defectText(error)]
  }
}

/** The address and what is wrong with it, where the error tells. */
function defectText(error: unknown): string {
  if (!(error instanceof OAuthError) || error.refusal === null)
    return error instanceof Error ? error.message : String(error)
  const { reason, hint } = error.refusal
  return hint === undefined ? reason : `${reason}: ${hint}`
}
