/** Access tokens without a browser, for `acmcp token` and `acmcp call`: only in development, which the caller has made sure
 *  of. Their grant, code and pair are rows like any other's, so that they expire, are revoked and are audited alike. */
import { apiScope } from '../../scopes.ts'
import type { Client } from '../../store/store.ts'
import { audit } from '../audit.ts'
import { type AllowedScopes, fullPermission, offerTo, scopesIn } from '../consent/offer.ts'
import { OAuthError } from '../oauth-error.ts'
import { accessLifetimeSeconds, randomHex, type SigningOptions } from '../options.ts'
import { signCode, signPair } from './claims.ts'

export interface DevelopmentToken {
  readonly accessToken: string
  readonly expiresInSeconds: number
  readonly scope: string
  readonly grantId: string
}

/** No browser can be sent back to it. */
const commandLine: Client = {
  id: 'acmcp-command-line',
  name: 'acmcp on the command line',
  redirectUris: [],
  grantTypes: ['authorization_code'],
  responseTypes: ['code'],
}

/** Consents for the user to everything that `asked` comes to and that the user can have, and redeems the code at once; the
 *  refresh token is dropped. Rejects with `invalid_scope` for a scope that is not declared, with `access_denied` when nothing
 *  can be had, and with what the application's `checkToken` throws. Source: rules.md, Authorize 9; rules.md, Token 2 and 6. */
export async function issueDevelopmentToken(
  userId: string,
  requested: string,
  options: SigningOptions,
): Promise<DevelopmentToken> {
  const { store, randomBytes, signer } = options
  const { named, allowed } = await permissionOf(userId, requested, options)
  const scope = named.join(' ')
  const subject = { userId, clientId: commandLine.id, scope }
  await store.saveClient(commandLine)
  const code = await signCode({ ...subject, redirectUri: '', challenge: '' }, options)
  const grantId = randomHex(randomBytes, 16)
  await store.issueCode({ id: grantId, ...subject, resource: '', allowed, surface: 'whole' }, code)
  await options.checkToken?.({ ...(await signer.verify(code.jwt)) })
  const pair = await signPair(subject, options)
  const { kind } = await store.redeemCode(code.jti, pair)
  if (kind !== 'redeemed') throw new Error(`a code of this moment is ${kind}`)
  const ids = { client: commandLine.id, user: userId, grant: grantId, from: code.jti, to: pair.refresh.jti }
  audit(options, 'issue', { ids })
  return { accessToken: pair.access.jwt, expiresInSeconds: accessLifetimeSeconds, scope, grantId }
}

async function permissionOf(
  userId: string,
  requested: string,
  options: SigningOptions,
): Promise<AllowedScopes> {
  const { scopes, store, profile } = options
  const names = scopesIn(requested, profile)
  const unknown = names.find((name) => !scopes.isKnown(name))
  if (unknown !== undefined)
    throw new OAuthError('invalid_scope', `the scope ${JSON.stringify(unknown)} is not declared`)
  if (scopes.declared.length === 0) return { named: [apiScope], allowed: null }
  const user = await store.findUser(userId)
  if (user === null) throw new OAuthError('access_denied', `there is no user ${userId}`)
  const permission = fullPermission(await offerTo(user, names, options), scopes)
  if (permission.named.length === 0)
    throw new OAuthError('access_denied', `${user.name} can have none of these scopes`)
  return permission
}
