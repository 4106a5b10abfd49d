/** Access tokens for which no user is asked: those of a client for itself, and those of users for whom their enterprise has decided. They
 *  are short-lived, and no refresh token comes with them. */
import type { HttpResponse } from '../../contract/http.ts'
import type { Grant } from '../../store/store.ts'
import { audit } from '../audit.ts'
import { clientLifetimeSeconds, randomHex, type SigningOptions } from '../options.ts'
import { json } from '../responses.ts'
import { signAccess } from './claims.ts'
import { auditedUser } from './subjects.ts'

interface UnaskedToken {
  readonly grant: Omit<Grant, 'id'>
  /** Of the token. */
  readonly scope: string
  /** Of the row in the audit. */
  readonly facts?: Readonly<Record<string, string>>
}

/** Issues one within the grant that such tokens of the client have already, or a new one. Rejects with `UserBlocked`. */
export async function issueUnasked(
  { grant, scope, facts = {} }: UnaskedToken,
  options: SigningOptions,
): Promise<HttpResponse> {
  const { userId, clientId } = grant
  const { jwt, ...access } = await signAccess({ userId, clientId, scope }, options, clientLifetimeSeconds)
  const id = randomHex(options.randomBytes, 16)
  const grantId = await options.store.issueUnasked({ id, ...grant }, access)
  const ids = { client: clientId, ...auditedUser(userId), to: access.jti }
  audit(options, 'issue', { ids, facts, grants: [grantId] })
  return json(200, { access_token: jwt, token_type: 'Bearer', expires_in: clientLifetimeSeconds, scope })
}
