/** Instances of the notes application that share a database, keys and a clock: what is configured changes between them, as it
 *  does between two versions of a real one. */
import { join } from 'node:path'
import type { ScopesConfig } from '../../../../runtime/contract/scopes.ts'
import { openTestApp, type TestApp } from '../../../../runtime/testing.ts'
import { temporaryFolder } from '../../support.ts'

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
      return { ...bundle, config: { ...own, limits, ...config, mcp: { ...own.mcp, ...mcp } } }
    },
  })
}
