/** The door: what an optional part of the server is to the core. The core knows none by name; the one list is `capabilities/index.ts`. The
 *  interface is closed: there are no priorities, and the order is that of the list. */
import type { AppBundle } from '../contract/bundle.ts'
import type { Bus } from '../contract/bus.ts'
import type { AuditEntry, AuditTrail } from '../contract/calls.ts'
import type { HttpRequest, MaybePromise } from '../contract/http.ts'
import type { AuthInfo, Clock, RandomBytes, Services } from '../contract/store.ts'
import type { LateLogger } from '../http/log/log.ts'
import type { RoutePart } from '../http/part.ts'
import type { McpPart, ResourceSource } from '../mcp/part.ts'
import type { RecordAccess } from '../oauth/audit.ts'
import type { Network } from '../oauth/network.ts'
import type { AuthorizationServerPart } from '../oauth/part.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Store } from '../store/store.ts'
import type { CapabilityTable } from '../store/tables.ts'
import type { Environment } from './environment.ts'
import type { ResolvedConfig } from './resolved-config.ts'
import type { Group, Resolved, SettingsTable } from './settings/setting.ts'
import type { Counter, WatchedApp, Watching } from './watching.ts'

/** An optional part of the server. What a descriptor imports is loaded always, what `start` imports only where it is used. */
export interface Capability {
  /** That of its folder. */
  readonly name: string
  /** Its settings of `defineApp`: a table whose fields stand beside those of the core. */
  readonly settings?: SettingsTable
  /** Its settings of `limits`. */
  readonly limits?: SettingsTable
  /** Whether they fit what else is set. Throws a `ConfigError`. */
  readonly checkSettings?: (config: ResolvedConfig) => void
  /** Every store has them, whether the application uses the capability or not. */
  readonly tables?: readonly CapabilityTable[]
  readonly row?: RouteRow
  /** Its methods of MCP, and others of the same extension: traces and metrics name messages by what is known. */
  readonly methods?: readonly string[]
  /** Loads what lists its resources: for commands, which start no server. */
  readonly resources?: () => Promise<ResourceSource['listed']>
  /** Those that it counts with `Core.count`. */
  readonly counters?: readonly Counter[]
  /** False: nothing of it is made or loaded. */
  readonly isUsed: (app: AppFacts) => boolean
  /** What uses it, as `no route has @approval`: said where its settings are written for nothing. Null = its settings are
   *  its use, or switch it off. */
  readonly unused: string | null
  /** For how many milliseconds rows of a table are kept where the application says that; others for good, or until they end. */
  readonly keptMs?: (config: ResolvedConfig) => readonly (readonly [table: string, ms: number])[]
  /** Records what commands change; null = nothing. `config`: of the last build; null = there is none that can be read. */
  readonly recorder?: (store: Store, config: ResolvedConfig | null) => Promise<RecordChanges | null>
  /** Of one capability at most: what watches the application. Throws `BootError`. */
  readonly watch?: (app: WatchedApp) => Promise<Watching>
  /** Throws `BootError`. */
  readonly start?: (core: Core) => MaybePromise<CapabilityParts>
}

export type RecordChanges = (entries: readonly AuditEntry[]) => Promise<void>

/** Its field in a row of `generated/routes.ts`. */
export interface RouteRow {
  /** That of the field; absent where the route has no such tag. */
  readonly name: string
  /** The heading of its column in `acmcp routes`; absent = it stands with the limits, behind its name. */
  readonly column?: string
  /** As the tag has it. */
  readonly text: (value: never) => string
}

/** What decides whether a capability is used. */
export interface AppFacts {
  readonly bundle: AppBundle
  readonly config: ResolvedConfig
  readonly environment: Environment
}

/** What the core lends to capabilities. */
export interface Core extends AppFacts {
  readonly store: Store
  /** To the other instances. */
  readonly bus: Bus
  readonly log: LateLogger
  /** Keeps nothing where no part does. */
  readonly trail: AuditTrail
  /** Whether a part that was started before keeps it. */
  readonly isRecorded: () => boolean
  /** Writes a change of access to the log and to the audit. */
  readonly record: RecordAccess
  /** Tells every instance that a user's access has ended. */
  readonly revoked: (userId: string) => MaybePromise<void>
  /** Counts one more, where a reader is registered: `value` is that of the counter's attribute. Null = it is not read. */
  readonly count: Watching['count']
  /** Milliseconds since the epoch; `monotonic` never goes back. */
  readonly clock: Clock
  readonly monotonic: Clock
  readonly randomBytes: RandomBytes
  readonly every: Scheduler
  readonly network: Network
  /** Made after the capabilities. */
  readonly services: () => Services
  /** Whose the bearer token of a request is; null without one. */
  readonly authInfoOf: (request: HttpRequest) => Promise<AuthInfo | null>
  /** What an application has written in a table of settings, with its defaults. */
  readonly settings: <Table>(table: Group<Table>) => Resolved<Table>
  /** The same of `limits`. */
  readonly limits: <Table>(table: Group<Table>) => Resolved<Table>
}

/** What a capability does in an application that uses it. */
export interface CapabilityParts extends RoutePart, McpPart, AuthorizationServerPart {
  /** Keeps what is recorded; closed when nothing is recorded any more. */
  readonly trail?: AuditTrail & { close(): Promise<void> }
  /** Its own of `this.services`. */
  readonly services?: Partial<Services>
  /** When the process begins: goes on with what one that has ended left of it. */
  readonly begin?: (signal: AbortSignal) => Promise<void>
  /** Removes what has ended; called about every minute. */
  readonly purge?: (signal: AbortSignal) => Promise<void>
  /** The end of the process: waits for what runs, `patienceMs` at most. */
  readonly close?: (patienceMs: number) => Promise<void>
  /** It waits two seconds more at most. */
  readonly hurry?: () => void
}
