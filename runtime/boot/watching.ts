/** What watches an application: spans, metrics, events. The rooms that are watched take functions, and do nothing where there are none. */
import type { AppBundle } from '../contract/bundle.ts'
import type { WatchMessage, WatchRequest } from '../contract/calls.ts'
import type { Endpoint } from '../contract/http.ts'
import type { Clock, Logger } from '../contract/store.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Store } from '../store/store.ts'
import type { Environment } from './environment.ts'
import type { ResolvedConfig } from './resolved-config.ts'
import type { Group, Resolved } from './settings/setting.ts'

/** A counter by the value of one attribute, both named as OpenTelemetry does. */
export interface Counter {
  readonly name: string
  /** UCUM, as `{approval}`. */
  readonly unit: string
  readonly description: string
  readonly attribute: `acmcp.${string}`
}

/** All metrics of one process. Plain JSON. */
export type ProcessMetrics = readonly object[]

/** Lets the other processes read this one, by `own`. The function that it returns reads them: it resolves with what each of them has that
 *  answers in time, and never rejects. */
export type ShareMetrics = (own: () => ProcessMetrics) => () => Promise<readonly ProcessMetrics[]>

/** What is known of an application before its store is opened. */
export interface WatchedApp {
  readonly bundle: AppBundle
  readonly config: ResolvedConfig
  readonly environment: Environment
  readonly log: Logger
  /** Of MCP, those that capabilities have. */
  readonly methods: ReadonlySet<string>
  /** Undefined = not shared. */
  readonly shareMetrics?: ShareMetrics
  /** What an application has written in a table of settings, with its defaults. */
  readonly settings: <Table>(table: Group<Table>) => Resolved<Table>
}

export interface Watching {
  readonly watchRequest: WatchRequest | null
  readonly watchMessage: WatchMessage | null
  /** Is told of each look into the cache of credentials. */
  readonly onLookUp: ((isHit: boolean) => void) | null
  /** Counts one more: `value` is that of the counter's attribute. */
  readonly count: ((counter: Counter, value: string) => void) | null
  /** These and its own. Throws `BootError` when one of them is at such an address. */
  readonly withEndpoints: (others: readonly Endpoint[]) => readonly Endpoint[]
  /** What listens on a port of its own; null = nothing does. */
  readonly ownPort: OwnPort | null
  /** The store, whose verbs are measured. */
  readonly timedStore: (store: Store) => Store
  /** Reports of the process until the returned function is called. */
  readonly report: (reported: Reported) => () => void
}

/** What of an application can be counted. */
export interface Reported {
  readonly server: object
  readonly streams: { count(): number }
  readonly store: Pick<Store, 'poolUse'>
  readonly clock: Clock
  readonly every?: Scheduler
}

export interface OwnPort {
  readonly port: number
  /** Rejects when the port is taken. */
  readonly listen: () => Promise<ListeningPort>
}

export interface ListeningPort {
  readonly address: string
  /** Takes no further request. */
  close(): Promise<void>
}

export const watchedByNone: Watching = {
  watchRequest: null,
  watchMessage: null,
  onLookUp: null,
  count: null,
  withEndpoints: (others) => others,
  ownPort: null,
  timedStore: (store) => store,
  report: () => () => {},
}
