/** What tasks need of the application. */
import type { Resolved } from '../../boot/settings/setting.ts'
import type { Bus } from '../../contract/bus.ts'
import type { HttpRequest } from '../../contract/http.ts'
import type { RandomBytes } from '../../contract/store.ts'
import type { TaskLimits } from './settings.ts'
import type { TaskStore } from './task-record.ts'

export interface TaskSettings extends Resolved<TaskLimits> {
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
