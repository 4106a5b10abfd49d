/** The fields of `clients`. */
import type { ClientConfig } from '../../contract/application.ts'
import { isLoopbackUrl } from '../../loopback.ts'
import { verifyingKeyOf } from '../../oauth/assertions/verifying-keys.ts'
import { apiScope, type Scopes } from '../../scopes.ts'
import {
  type Check,
  checkAll,
  checkFields,
  describedCheck,
  type Fields,
  fieldsOf,
  is,
  plainObject,
  wrongSetting,
} from './checks.ts'

/** Only keys that others may read: a private key is of no use here, and would lie in the repository. */
const publicKeys: Check = describedCheck('a JWK set of public keys', (at, value) => {
  const { keys } = Object(value)
  if (!Array.isArray(keys) || keys.length === 0)
    throw wrongSetting(at, `${at} must be a JWK set: { keys: [ … ] }, with a public key at least`)
  checkAll(
    keys.map((jwk: unknown, index) => () => {
      try {
        verifyingKeyOf(jwk)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        throw wrongSetting(at, `${at}.keys[${index}] ${reason}`)
      }
    }),
  )
})

const fields: Fields = fieldsOf<ClientConfig>({
  jwks: publicKeys,
  jwksUri: is('an https address, or http on loopback in development', isKeyAddress),
  scopes: is(
    'a list of at least one scope',
    (value) => Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string'),
  ),
})

function isKeyAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  const isPlain = username === '' && password === ''
  return isPlain && (protocol === 'https:' || (protocol === 'http:' && isLoopbackUrl(value)))
}

export const clients: Check = describedCheck(
  'clients by name',
  (at, value) => {
    plainObject(at, value)
    checkAll(
      Object.entries(value as object).map(([id, client]) => () => {
        const inside = `${at}.${id}`
        is('named with 1 to 64 of a-z, 0-9 and -', () => /^[a-z0-9-]{1,64}$/.test(id))(inside, null)
        is('called otherwise: names that begin with acmcp- are ours', () => !id.startsWith('acmcp-'))(
          inside,
          null,
        )
        checkFields(inside, client, fields)
        const { jwks, jwksUri, scopes } = client as ClientConfig // every field that is there was checked
        if ((jwks === undefined) === (jwksUri === undefined))
          throw wrongSetting(inside, `${inside} must have exactly one of jwks and jwksUri`)
        if (scopes === undefined)
          throw wrongSetting(inside, `${inside}.scopes must be a list of at least one scope`)
      }),
    )
  },
  fields,
)

/** Throws a `ConfigError` for a scope that is not declared. */
export function checkClientScopes(
  at: string,
  configured: Readonly<Record<string, ClientConfig>>,
  { declared }: Scopes,
): void {
  const names = declared.length === 0 ? [apiScope] : declared.map(({ name }) => name)
  const of = declared.length === 0 ? `'${apiScope}' alone, for none are declared` : 'declared scopes'
  checkAll(
    Object.entries(configured).map(([id, { scopes }]) => () => {
      is(of, () => scopes.every((name) => names.includes(name)))(`${at}.${id}.scopes`, null)
    }),
  )
}
