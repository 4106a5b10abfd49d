/** Whether `clients` fits what else is set. */
import type { ResolvedConfig } from '../../boot/resolved-config.ts'
import { checkAll, is } from '../../boot/settings/checks.ts'
import { apiScope } from '../../scopes.ts'
import type { ClientConfig } from './settings.ts'

/** Throws a `ConfigError` for a scope that is not declared, and for an id that another client has. */
export function checkClients(
  configured: Readonly<Record<string, ClientConfig>>,
  { scopes: { declared }, oauth: { confidentialClients } }: Pick<ResolvedConfig, 'scopes' | 'oauth'>,
): void {
  const names = declared.length === 0 ? [apiScope] : declared.map(({ name }) => name)
  const of = declared.length === 0 ? `'${apiScope}' alone, for none are declared` : 'declared scopes'
  checkAll(
    Object.entries(configured).map(([id, { scopes }]) => () => {
      is(of, () => scopes.every((name) => names.includes(name)))(`config.clients.${id}.scopes`, null)
    }),
  )
  checkAll(
    confidentialClients.map(({ id }, index) => () => {
      const isOther = is('the id of no other client', () => !Object.hasOwn(configured, id))
      isOther(`config.oauth.confidentialClients[${index}].id`, null)
    }),
  )
}
