/** Access tokens that clients have for themselves. */
import type { AuthInfo } from '../../contract/store.ts'
import type { SigningOptions } from '../../oauth/options.ts'
import type { ClientTokens } from '../../oauth/token-part.ts'
import { subjectOf } from '../../oauth/tokens/subjects.ts'
import type { Machines } from './machines.ts'

interface OwnToken {
  readonly claims: Parameters<ClientTokens['find']>[0]
  readonly subject: string
  readonly machines: Machines
}

/** Its scopes are within those that are configured now. Null where it is not configured any more. */
export async function authInfoOfClient(
  { claims: { cid, jti, scope, exp = 0 }, subject, machines }: OwnToken,
  { store, scopes }: Pick<SigningOptions, 'store' | 'scopes'>,
): Promise<AuthInfo | null> {
  const machine = machines.get(String(cid))
  if (machine === undefined || subjectOf(machine.id) !== subject || typeof jti !== 'string') return null
  const grantId = await store.findGrantOfToken(subject, jti)
  if (grantId === null) return null
  const granted = scopes.granted(typeof scope === 'string' ? scope.split(' ') : [], machine.allowed)
  return {
    user: null,
    subject,
    mayHave: machine.allowed ?? machine.scopes,
    grantId,
    clientId: machine.id,
    scopes: granted,
    expiresAt: exp * 1000,
  }
}
