/** The setting `clients`. */

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
} from '../../boot/settings/checks.ts'
import { type Group, group, type Setting, setting } from '../../boot/settings/setting.ts'
import { isLoopbackUrl } from '../../loopback.ts'
import { verifyingKeyOf } from '../../oauth/assertions/verifying-keys.ts'

/** One client of `defineApp({ clients })`: exactly one of `jwks` and `jwksUri`. */
export interface ClientConfig {
  /** Its public keys (RFC 7517). */
  readonly jwks?: { readonly keys: readonly Readonly<Record<string, unknown>>[] }
  /** Where it publishes them: https, or http on loopback in development. */
  readonly jwksUri?: string
  /** Declared scopes that its tokens may have; `['api']` in an application that declares none. */
  readonly scopes: readonly string[]
}

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

const clients: Check = describedCheck(
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

export class MachineTable {
  /** Clients that sign in by themselves and act for no user, by id `[a-z0-9-]{1,64}`: each with its public keys. Default: none. See
   *  templates/docs/machines.md. */
  readonly clients: Setting<Readonly<Record<string, ClientConfig>>> = setting(clients, {})
}

export const machineSettings: Group<MachineTable> = group(new MachineTable())
