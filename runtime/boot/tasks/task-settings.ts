/** Tasks, where a tool of the application can become one. Source: decisions/mcp.md, Tasks. */
import type { AppBundle } from '../../contract/bundle.ts'
import type { Bus } from '../../contract/bus.ts'
import type { Route } from '../../contract/route.ts'
import type { RandomBytes, TaskStore } from '../../contract/store.ts'
import type { FindStatusRoute, StatusRoute, TaskLimits, TaskSettings } from '../../mcp/tasks/task-settings.ts'

export interface TaskDependencies {
  readonly store: TaskStore
  readonly bus: Bus
  readonly randomBytes: RandomBytes
}

/** Null where no tool is marked and none declares that it answers 202: nothing is advertised then. */
export function taskSettings(
  { catalogue, routes }: Pick<AppBundle, 'catalogue' | 'routes'>,
  limits: TaskLimits,
  { store, bus, randomBytes }: TaskDependencies,
): TaskSettings | null {
  const tools = new Set(catalogue.tools.map(({ route }) => route))
  const accepting = routes.filter((route) => tools.has(route.id) && mayAccept(route)).map(({ id }) => id)
  const isMarked = catalogue.tools.some(({ task }) => task !== undefined)
  if (!isMarked && accepting.length === 0) return null
  const findStatusRoute = statusRoutes(routes)
  return { ...limits, store, bus, randomBytes, acceptingRoutes: new Set(accepting), findStatusRoute }
}

const accepted = 202

const mayAccept = ({ status, statuses }: Route): boolean =>
  status === accepted || statuses.some((item) => item.status === accepted)

interface Pattern {
  readonly id: string
  readonly segments: readonly string[]
}

/** As the server's router chooses: a fixed segment before a variable, a variable before the rest; a slash at the end says nothing. */
function statusRoutes(routes: readonly Route[]): FindStatusRoute {
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
