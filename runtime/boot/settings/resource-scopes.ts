/** A client asks for whatever the protected resource metadata names: a sensitive scope there would be asked of everybody. */
import type { HttpRequest } from '../../contract/http.ts'
import type { ResourceMetadata } from '../../contract/mcp.ts'
import type { Logger } from '../../contract/store.ts'
import type { Scopes } from '../../scopes.ts'

type ResourceMetadataOf = (request: HttpRequest) => ResourceMetadata

/** The same function, which warns once of each sensitive scope that it names: now, if it looks at no request, else with the
 *  first request for which it does. */
export function warningOfSensitive(get: ResourceMetadataOf, scopes: Scopes, log: Logger): ResourceMetadataOf {
  const sensitive = new Set(scopes.declared.filter((scope) => scope.sensitive).map(({ name }) => name))
  if (sensitive.size === 0) return get
  const watched: ResourceMetadataOf = (request) => {
    const metadata = get(request)
    for (const scope of metadata.scopesSupported)
      if (sensitive.delete(scope))
        log.warn({ scope }, 'mcp.resourceMetadata names a sensitive scope: every client will ask for it')
    return metadata
  }
  try {
    watched(noRequest)
  } catch {
    // It looks at the request, or fails; the first request will tell.
  }
  return watched
}

const noRequest = new Proxy(
  {},
  {
    get: () => {
      throw new Error('there is no request yet')
    },
  },
) as HttpRequest // reading any of it throws
