/** Which GET route of the application serves the address that a route named with 202. */
import type { Route } from '../../contract/route.ts'
import type { FindStatusRoute, StatusRoute } from './task-settings.ts'

/** As the server's router chooses: a fixed segment before a variable, a variable before the rest; a slash at the end says nothing. */
export function statusRoutes(routes: readonly Route[]): FindStatusRoute {
  const patterns = routes
    .filter(({ verb, websocket, mcpOnly }) => verb === 'GET' && !websocket && mcpOnly === undefined)
    .map(({ id, path }): Pattern => ({ id, segments: segmentsOf(path) }))
    .sort((pattern, other) => (rankOf(pattern) < rankOf(other) ? -1 : 1))
  return (path) => {
    const segments = segmentsOf(path)
    for (const pattern of patterns) {
      const found = match(pattern, segments)
      if (found !== null) return found
    }
    return null
  }
}

interface Pattern {
  readonly id: string
  readonly segments: readonly string[]
}

const segmentsOf = (path: string): readonly string[] => path.replace(/^\/|\/$/g, '').split('/')

const rankOf = ({ segments }: Pattern): string =>
  segments.map((segment) => (segment === '*' ? '2' : segment.startsWith(':') ? '1' : '0')).join('')

function match({ id, segments }: Pattern, path: readonly string[]): StatusRoute | null {
  const params: Record<string, string> = {}
  for (const [at, segment] of segments.entries()) {
    if (segment === '*') return withRest({ id, params }, path.slice(at))
    const text = decoded(path[at])
    if (text === null) return null
    if (!segment.startsWith(':')) {
      if (text !== segment) return null
    } else if (text === '') return null
    else params[segment.slice(1)] = text
  }
  return segments.length === path.length ? { id, params } : null
}

function withRest({ id, params }: StatusRoute, rest: readonly string[]): StatusRoute | null {
  const text = decoded(rest.join('/'))
  return text === null ? null : { id, params: { ...params, '*': text } }
}

/** Null for what is not there, and for what no text was encoded to. */
function decoded(text: string | undefined): string | null {
  try {
    return text === undefined ? null : decodeURIComponent(text)
  } catch {
    return null
  }
}
