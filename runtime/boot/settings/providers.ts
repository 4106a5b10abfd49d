/** The fields of `providers`. */
import { type ProviderConfig, ProviderConfigError, resolveProvider } from '../../oauth/providers/presets.ts'
import {
  type Check,
  checkAll,
  checkFields,
  describedCheck,
  type Fields,
  fieldsOf,
  flag,
  is,
  nested,
  nonEmptyText,
  plainObject,
  wrongSetting,
} from './checks.ts'

const address: Check = is(
  'an https address, or http on loopback',
  (value) =>
    typeof value === 'string' &&
    URL.canParse(value) &&
    /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/.test(value),
)

const fields: Fields = fieldsOf<ProviderConfig>({
  issuer: address,
  trustEmail: flag,
  clientId: nonEmptyText,
  clientSecret: nonEmptyText,
  preset: nonEmptyText,
  scope: is(
    'scopes with one space between two',
    (value) =>
      typeof value === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(value),
  ),
  backchannelLogout: nested(
    fieldsOf<NonNullable<ProviderConfig['backchannelLogout']>>({ revokeGrants: flag }),
  ),
  tenant: is(
    "a tenant's id or domain",
    (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9.-]*$/i.test(value),
  ),
  addresses: nested(
    fieldsOf<NonNullable<ProviderConfig['addresses']>>({
      issuer: address,
      authorization: address,
      token: address,
      profile: address,
      emails: address,
    }),
  ),
})

export const providers: Check = describedCheck(
  'providers by name',
  (at, value) => {
    plainObject(at, value)
    checkAll(
      Object.entries(value as object).map(([name, provider]) => () => {
        is('named with a-z, 0-9 and -', () => /^[a-z0-9-]+$/.test(name))(`${at}.${name}`, null)
        is(`called otherwise: /auth/${name} is reserved`, () => !reservedNames.has(name))(
          `${at}.${name}`,
          null,
        )
        is('called otherwise: client: begins the subjects of clients', () => name !== 'client')(
          `${at}.${name}`,
          null,
        )
        checkProvider(`${at}.${name}`, name, provider)
      }),
    )
  },
  fields,
)

/** Of the sign-in pages themselves. */
const reservedNames: ReadonlySet<string> = new Set(['dev', 'sign-out', 'connections', 'approvals'])

const credentials = ['clientId', 'clientSecret'] as const

function checkProvider(at: string, name: string, provider: unknown): void {
  plainObject(at, provider)
  const config = provider as ProviderConfig // every field that is there is checked here
  const missing = credentials.filter((name) => config[name] === undefined)
  checkAll([
    () => checkFields(at, provider, fields),
    ...missing.map((name) => () => nonEmptyText(`${at}.${name}`, undefined)),
  ])
  try {
    resolveProvider(name, config)
  } catch (error) {
    if (error instanceof ProviderConfigError) throw wrongSetting(at, `${at}: ${error.message}`)
    throw error
  }
}
