/** A client asks for whatever the protected resource metadata names: a sensitive scope there would be asked of everybody, and one that
 *  is not declared is refused to all. */
import type { HttpRequest } from '../../contract/http.ts'
import type { ResourceMetadata } from '../../contract/mcp.ts'
import type { Logger } from '../../contract/store.ts'
import type { Scopes } from '../../scopes.ts'

type ResourceMetadataOf = (request: HttpRequest) => ResourceMetadata

/** The same function, which warns once of each such scope that it names: now, if it looks at no request, else with the first request
 *  for which it does. */
export function warningOfScopes(get: ResourceMetadataOf, scopes: Scopes, log: Logger): ResourceMetadataOf {
  if (scopes.declared.length === 0) return get
  const named = new Set<string>()
  const watched: ResourceMetadataOf = (request) => {
    const metadata = get(request)
    for (const scope of metadata.scopesSupported) {
      const trouble = troubleWith(scope, scopes)
      if (trouble === null || named.has(scope)) continue
      named.add(scope)
      log.warn({ scope }, `mcp.resourceMetadata names ${trouble}`)
    }
    return metadata
  }
  try {
    watched(noRequest)
  } catch {
    // It looks at the request, or fails; the first request will tell.
  }
  return watched
}

function troubleWith(name: string, scopes: Scopes): string | null {
  if (!scopes.isKnown(name)) return 'a scope that is not declared: whoever asks for it is refused'
  const isSensitive = scopes.declared.some((scope) => scope.name === name && scope.sensitive)
  return isSensitive ? 'a sensitive scope: every client will ask for it' : null
}

const noRequest = new Proxy(
  {},
  {
    get: () => {
      throw new Error('there is no request yet')
    },
  },
) as HttpRequest // reading any of it throws
