/** Access tokens without a browser, for `acmcp token` and `acmcp call`: only in development, which the caller has made sure
 *  of. Their grant, code and pair are rows like any other's, so that they expire, are revoked and are audited alike. */

import { apiScope } from '../../scopes.ts'
import type { Client } from '../../store/store.ts'
import { audit } from '../audit.ts'
import { accessLifetimeSeconds, randomHex, type SigningOptions } from '../options.ts'
import { signCode, signPair } from './claims.ts'

export interface DevelopmentToken {
  readonly accessToken: string
  readonly expiresInSeconds: number
  readonly scope: string
  readonly grantId: string
}

/** Nobody can send a browser back to it. */
const commandLine: Client = {
  id: 'acmcp-command-line',
  name: 'acmcp on the command line',
  redirectUris: [],
  grantTypes: ['authorization_code'],
  responseTypes: ['code'],
}

/** Consents for the user, and redeems the code at once; the refresh token is dropped. Rejects with what the application's
 *  `checkToken` throws. Source: specification, Authorize, rule 9; Token, rules 2 and 6. */
export async function issueDevelopmentToken(
  userId: string,
  options: SigningOptions,
  scope: string = apiScope,
): Promise<DevelopmentToken> {
  const { store, auditLog, randomBytes, signer } = options
  const subject = { userId, clientId: commandLine.id, scope }
  await store.saveClient(commandLine)
  const code = await signCode({ ...subject, redirectUri: '', challenge: '' }, options)
  const grantId = randomHex(randomBytes, 16)
  await store.issueCode({ id: grantId, ...subject, resource: '' }, code)
  await options.checkToken?.({ ...(await signer.verify(code.jwt)) })
  const pair = await signPair(subject, options)
  const { kind } = await store.redeemCode(code.jti, pair)
  if (kind !== 'redeemed') throw new Error(`a code of this moment is ${kind}`)
  const ids = { client: commandLine.id, user: userId, grant: grantId, from: code.jti, to: pair.refresh.jti }
  audit(auditLog, 'issue', { ids })
  return { accessToken: pair.access.jwt, expiresInSeconds: accessLifetimeSeconds, scope, grantId }
}
