/** Instances of the notes application that share a database, keys and a clock: what is configured changes between them, as it
 *  does between two versions of a real one. */
import { join } from 'node:path'
import type { AppBundle } from '../../../../runtime/contract/bundle.ts'
import type { Route } from '../../../../runtime/contract/route.ts'
import type { ScopesConfig } from '../../../../runtime/contract/scopes.ts'
import { openTestApp, type TestApp } from '../../../../runtime/testing.ts'
import { temporaryFolder } from '../../support.ts'
import type { GuardedRoute } from './oracle.ts'

export const baseUrl = 'http://localhost:3000'
export const jwtSecret = 'the key of the permission tests, of at least 32 bytes'
const sessionSecret = 'the other key of the permission tests, of 32 bytes'

export interface World {
  /** The folder of the application. */
  readonly root: string
  readonly databaseUrl: string
  readonly clock: { now: number }
}

export const newWorld = (root: string): World => ({
  root,
  databaseUrl: `sqlite:${join(temporaryFolder(), 'notes.db')}`,
  clock: { now: 1_800_000_000_000 },
})

export interface Instance {
  /** Settings in place of the application's; `mcp` is merged with its. */
  readonly config?: object
  readonly mcp?: object
  /** Default: the world's. */
  readonly databaseUrl?: string
  readonly baseUrl?: string
  readonly jwtSecret?: string
  /** The routes with other needs; those that are missing are not served. */
  readonly routes?: readonly Pick<GuardedRoute, 'id' | 'needs' | 'unless'>[]
  /** Told by each action that runs. */
  readonly onRun?: (routeId: string) => void
}

/** Opens one; rate limits are off, a test asks more than an hour's worth. */
export function openNotes(world: World, instance: Instance = {}): Promise<TestApp> {
  const { config = {}, mcp = {} } = instance
  const limits = {
    registerPerHour: false,
    authorizePerHour: false,
    tokenPerHour: false,
    toolCallsPerMinute: false,
  }
  return openTestApp({
    cwd: world.root,
    clock: () => world.clock.now,
    environment: {
      databaseUrl: instance.databaseUrl ?? world.databaseUrl,
      baseUrl: instance.baseUrl ?? baseUrl,
      jwtSecrets: [instance.jwtSecret ?? jwtSecret],
      sessionSecrets: [sessionSecret],
    },
    change: (bundle) => {
      const own = bundle.config as { mcp: object; scopes: ScopesConfig } // what its app/config.ts says
      const changed = { ...bundle, config: { ...own, limits, ...config, mcp: { ...own.mcp, ...mcp } } }
      return instance.routes === undefined ? changed : withRoutes(changed, instance)
    },
  })
}

function withRoutes(bundle: AppBundle, { routes = [], onRun = () => {} }: Instance): AppBundle {
  const needs = new Map(routes.map((route) => [route.id, route]))
  const served = bundle.routes.filter(({ id }) => needs.has(id))
  return {
    ...bundle,
    routes: served.map(({ scope: _own, ...route }): Route => {
      const { needs: names = [], unless = [] } = needs.get(route.id) ?? {}
      const call: Route['call'] = (controller, args) => {
        onRun(route.id)
        return route.call(controller, args)
      }
      return { ...route, call, ...(names.length === 0 ? {} : { scope: { names, unless } }) }
    }),
    catalogue: { ...bundle.catalogue, tools: bundle.catalogue.tools.filter(({ route }) => needs.has(route)) },
  }
}
