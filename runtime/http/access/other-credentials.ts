/** What a request says of its caller beside a bearer token. Source: decisions/http.md, The guard of scopes. */
import type { HttpRequest } from '../../contract/http.ts'
import type { OtherCredential } from '../../contract/scopes.ts'
import type { Services } from '../../contract/store.ts'

/** Those of `wanted` that the request has: a session with a signed-in user, an `X-API-Key` that is not empty. None
 *  beside an `Authorization` header, whatever it holds. */
export async function otherCredentials(
  { headers, session }: Pick<HttpRequest, 'headers' | 'session'>,
  wanted: readonly OtherCredential[],
  { userOfSession }: Pick<Services, 'userOfSession'>,
): Promise<readonly OtherCredential[]> {
  if (headers.authorization !== undefined) return []
  const hasKey = wanted.includes('key') && /[^,\s]/.test(String(headers['x-api-key'] ?? '')) // Node joins several with commas
  const isSignedIn = wanted.includes('session') && (await userOfSession(session)) !== null
  return [...(isSignedIn ? ['session' as const] : []), ...(hasKey ? ['key' as const] : [])]
}
