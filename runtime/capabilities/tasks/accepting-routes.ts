/** The tools whose calls can become tasks. */
import type { AppBundle } from '../../contract/bundle.ts'
import type { Route } from '../../contract/route.ts'
import { taskOf } from './task-record.ts'

type Built = Pick<AppBundle, 'catalogue' | 'routes'>

/** Whether some tool is marked, or declares that it answers 202. */
export const hasTasks = (built: Built): boolean =>
  built.catalogue.tools.some((tool) => taskOf(tool) !== undefined) || acceptingRoutes(built).size > 0

/** Ids of the routes of tools that may answer 202 with an address to come back to. */
export function acceptingRoutes({ catalogue, routes }: Built): ReadonlySet<string> {
  const tools = new Set(catalogue.tools.map(({ route }) => route))
  return new Set(routes.filter((route) => tools.has(route.id) && mayAccept(route)).map(({ id }) => id))
}

const accepted = 202

const mayAccept = ({ status, statuses }: Route): boolean =>
  status === accepted || statuses.some((item) => item.status === accepted)
