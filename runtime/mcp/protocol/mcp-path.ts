/** The one form of the endpoint's path, from which every address is made and under which it is mounted. */
import type { Endpoint } from '../../contract/http.ts'
import { shapeOfPath } from '../../http/probes/built-in-addresses.ts'

/** The path cannot be served; the message goes on after the name of the setting. */
export class PathMistake extends Error {}

const wanted = 'must be a path that starts with / and ends without'
const reserved: ReadonlySet<string> = new Set(['auth', 'oauth', '.well-known'])

/** `path` with every segment encoded as a URL carries it, so that no client writes it in another way: `/a b` and `/a%20b`
 *  are both `/a%20b`. Throws `PathMistake` for what no address can hold, and for the addresses of the authorization
 *  server. Source: rules.md, Easy to miss; RFC 3986, 3.3. */
export function canonicalPath(path: string): string {
  if (!/^\/(.*[^/])?$/s.test(path)) throw new PathMistake(wanted)
  if (path === '/') return path
  const segments = path.slice(1).split('/').map(decoded)
  if (reserved.has(segments[0] ?? ''))
    throw new PathMistake(`must not begin with /${segments[0]}: the authorization server answers there`)
  return `/${segments.map(encoded).join('/')}`
}

/** A canonical path as Fastify's router takes it: it compares decoded addresses, and doubles a colon that is none of its
 *  own. */
export const routerPath = (canonical: string): string => decodeURIComponent(canonical).replaceAll(':', '::')

function decoded(segment: string): string {
  const text = decodedOrNull(segment)
  if (text === null)
    throw new PathMistake('must have two hex digits of UTF-8 after each %: write a % itself as %25')
  if (text === '') throw new PathMistake('must not have an empty segment (//)')
  if (text === '.' || text === '..')
    throw new PathMistake(`must not have the segment ${text}: clients resolve it`)
  const unfit = /[/\\*?#]|\p{Cc}/u.exec(text)
  if (unfit !== null) throw new PathMistake(`must not hold ${JSON.stringify(unfit[0])} in a segment`)
  return text
}

function decodedOrNull(segment: string): string | null {
  try {
    encodeURIComponent(segment) // throws for half of a surrogate pair
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

/** What a path may hold beside letters and digits stays readable. */
const encoded = (segment: string): string =>
  encodeURIComponent(segment).replace(/%(?:3A|40|24|26|2B|2C|3B|3D)/g, decodeURIComponent)

type EndpointAddress = Pick<Endpoint, 'methods' | 'path'>

const toolboxParameter = '/:toolbox'
const isOfToolboxes = ({ path }: EndpointAddress): boolean => path.endsWith(toolboxParameter)

/** `endpoints` without the methods that one of `others` has at the address of the toolboxes: a route of the application wins
 *  there, and at the address of one toolbox by the router's own rules. Throws when one of `others` is at another address of
 *  the endpoint, which takes every method of its own: the router would refuse both. */
export function withoutTakenPaths<Address extends EndpointAddress>(
  endpoints: readonly Address[],
  others: readonly EndpointAddress[],
): readonly Address[] {
  const taken = new Map<string, EndpointAddress[]>()
  for (const other of others) {
    for (const path of withoutOption(other.path)) {
      const shape = shapeOfPath(path)
      taken.set(shape, [...(taken.get(shape) ?? []), other])
    }
  }
  return endpoints.map((endpoint) => {
    const there = taken.get(shapeOfPath(endpoint.path)) ?? []
    const [first] = there
    if (first === undefined) return endpoint
    if (!isOfToolboxes(endpoint))
      throw new Error(
        `mcp.path: ${endpoint.path.replaceAll('::', ':')} is also the path of ${first.methods.join(', ')} ${first.path}`,
      )
    const methods = new Set(there.flatMap((address) => address.methods))
    if (methods.has('GET')) methods.add('HEAD')
    return { ...endpoint, methods: endpoint.methods.filter((method) => !methods.has(method)) }
  })
}

/** An optional parameter at the end is two paths. */
function withoutOption(path: string): readonly string[] {
  if (!path.endsWith('?')) return [path]
  return [path.slice(0, -1), path.replace(/\/[^/]*$/, '')]
}
