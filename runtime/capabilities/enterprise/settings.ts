/** The setting `enterprise`. */

import {
  type Check,
  checkAll,
  checkFields,
  describedCheck,
  type Fields,
  fieldsOf,
  flag,
  is,
  nonEmptyText,
} from '../../boot/settings/checks.ts'
import { type Group, group, type Setting, setting } from '../../boot/settings/setting.ts'

/** One entry of `defineApp({ enterprise })`: an identity provider that may let clients act for its users. */
export interface EnterpriseConfig {
  /** Its name in `providers`: an OpenID Connect issuer. */
  readonly provider: string
  /** Ids of the clients that it may speak for: of `clients`, https URLs of metadata documents. Default: all. */
  readonly clients?: readonly string[]
  /** Declared scopes that such tokens may have. Default: what its assertions say. */
  readonly scopes?: readonly string[]
  /** Whether clients without keys may come. Default: false. */
  readonly allowPublicClients?: boolean
}

const someTexts = (what: string): Check =>
  is(
    `a list of at least one ${what}`,
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((item) => typeof item === 'string' && item !== ''),
  )

const fields: Fields = fieldsOf<EnterpriseConfig>({
  provider: nonEmptyText,
  clients: someTexts('client'),
  scopes: someTexts('scope'),
  allowPublicClients: flag,
})

const enterprise: Check = describedCheck(
  'a list of identity providers that let clients act for their users',
  (at, value) => {
    is('a list', Array.isArray)(at, value)
    checkAll(
      (value as readonly unknown[]).map((entry, index) => () => {
        const inside = `${at}[${index}]`
        checkFields(inside, entry, fields)
        const { provider } = entry as Partial<EnterpriseConfig> // every field that is there was checked
        nonEmptyText(`${inside}.provider`, provider)
      }),
    )
  },
)

export class EnterpriseTable {
  /** Identity providers (of `providers`) that let clients act for their users without asking them. Default: none. See
   *  templates/docs/enterprise.md. */
  readonly enterprise: Setting<readonly EnterpriseConfig[]> = setting(enterprise, [])
}

export const enterpriseSettings: Group<EnterpriseTable> = group(new EnterpriseTable())
