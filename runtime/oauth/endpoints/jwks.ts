import type { Endpoint, HttpResponse } from '../../contract/http.ts'
import { crossOriginEndpoint, type ErrorTelling, json } from '../responses.ts'
import type { Key } from '../tokens/keys.ts'

const path = '/.well-known/jwks.json'

/** The address of the key set, or null when every key is secret. */
export function jwksUri(baseUrl: string, keys: readonly Key[]): string | null {
  return keys.some((key) => key.publicJwk !== null) ? `${baseUrl}${path}` : null
}

/** The public parts of all asymmetric keys, the retired ones too; no endpoint when there is none. Source: RFC 7517, 5. */
export function jwksEndpoints(keys: readonly Key[], telling: ErrorTelling): readonly Endpoint[] {
  const published = keys.flatMap(({ publicJwk }) => (publicJwk === null ? [] : [publicJwk]))
  if (published.length === 0) return []
  const headers = { 'cache-control': 'public, max-age=300' }
  const handle = async (): Promise<HttpResponse> => json(200, { keys: published }, headers)
  return [crossOriginEndpoint('GET', path, handle, telling)]
}
