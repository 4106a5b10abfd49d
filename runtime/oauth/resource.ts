/** What the `resource` parameter of a request names. Source: RFC 8707, 2; rules.md, Authorize 4 and Token 1. */
import { ownBaseUrlsOf } from '../loopback.ts'
import { type OAuthError, refused } from './oauth-error.ts'
import type { AuthorizationServerOptions, SigningOptions } from './options.ts'
import { type Parameters, parameter } from './parameters.ts'
import { liftedBy, profiles } from './profile.ts'

/** Whether `resource` is the application at `baseUrl`, or below it, as written. */
export function isOwnResource(resource: string, baseUrl: string): boolean {
  return resource === baseUrl || resource.startsWith(`${baseUrl}/`)
}

/** What judges whether every `resource` of a request is ours; none is. Several stand in one value, between blanks. */
export function ownResourceTest({
  baseUrl,
  profile,
}: Pick<AuthorizationServerOptions, 'baseUrl' | 'profile'>): SigningOptions['areOwnResources'] {
  const isList = profile.repeatedParameters.has('resource')
  const bases = profile.answersToLoopbackNames ? ownBaseUrlsOf(baseUrl) : [baseUrl]
  return (parameters) => {
    const value = parameter(parameters, 'resource')
    if (value === '') return true
    const resources = isList ? value.split(' ').filter((text) => text !== '') : [value]
    return resources
      .map((resource) => (profile.ignoresCaseOfHosts ? withLowerCaseHost(resource) : resource))
      .every((resource) => bases.some((base) => isOwnResource(resource, base)))
  }
}

/** The refusal of what `ownResourceTest` does not take. */
export function foreignResource(
  parameters: Parameters,
  { baseUrl }: Pick<AuthorizationServerOptions, 'baseUrl'>,
): OAuthError {
  const sent = parameter(parameters, 'resource').slice(0, 200)
  return refused('invalid_target', {
    reason: `resource must be ${baseUrl} or below it, not '${sent}'`,
    hint: ownResourceTest({ baseUrl, profile: profiles.compatible })(parameters) ? liftedBy : null,
  })
}

/** Scheme and host have no case. Source: RFC 3986, 6.2.2.1. */
const withLowerCaseHost = (uri: string): string =>
  uri.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, (start) => start.toLowerCase())
