/** What tasks need of the application. */
import type { Bus } from '../../contract/bus.ts'
import type { HttpRequest } from '../../contract/http.ts'
import type { RandomBytes, TaskStore } from '../../contract/store.ts'

export interface TaskLimits {
  /** How long one may run; null = no limit. */
  readonly taskSeconds: number | null
  /** How much longer than that it is kept. */
  readonly taskKeptSeconds: number
  /** Of all clients together, in this process; null = no limit. */
  readonly concurrentTasks: number | null
  /** Of one owner, on all instances: those that have not ended, and all that are kept; null = no limit. */
  readonly tasksPerUser: number | null
  readonly keptTasksPerUser: number | null
}

export interface TaskSettings extends TaskLimits {
  readonly store: TaskStore
  readonly bus: Pick<Bus, 'publish' | 'subscribe' | 'onGap'>
  readonly randomBytes: RandomBytes
  /** Ids of the routes that may answer 202 with an address to come back to. */
  readonly acceptingRoutes: ReadonlySet<string>
  readonly findStatusRoute: FindStatusRoute
}

/** The GET route of the application that serves a path, as the server would choose it; null = none does. */
export type FindStatusRoute = (path: string) => StatusRoute | null

export interface StatusRoute extends Pick<HttpRequest, 'params'> {
  readonly id: string
}

/** Source: SEP-2663, Extension Identifier. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** What a client must declare to be given a task. Source: SEP-2663, Capability Negotiation. */
export const tasksCapability: {
  readonly extensions: Record<string, Record<string, never>>
} = {
  extensions: { [tasksExtension]: {} },
}
