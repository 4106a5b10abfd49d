/** The idempotency keys of an application whose routes take some. Source: decisions/http.md, Idempotency. */
import type { AppBundle } from '../contract/bundle.ts'
import type { AuditTrail } from '../contract/calls.ts'
import type { KeyObservation, ObserveKey } from '../contract/idempotency.ts'
import type { Clock, Logger, RandomBytes } from '../contract/store.ts'
import { Idempotency, type IdempotencyOptions } from '../idempotency/idempotency.ts'
import { intervalScheduler, type Scheduler } from '../scheduler.ts'
import type { Store } from '../store/store.ts'
import type { Environment } from './environment.ts'
import type { ResolvedConfig } from './resolve-config.ts'
import { milliseconds } from './settings/table.ts'

interface IdempotencyParts extends Pick<IdempotencyOptions, 'isOutage'> {
  readonly bundle: Pick<AppBundle, 'routes'>
  readonly config: Pick<ResolvedConfig, 'idempotency' | 'mcp'>
  readonly store: Store
  readonly log: Logger
  readonly trail: AuditTrail
  readonly telemetry: { readonly onRepeated: ((what: KeyObservation) => void) | null }
  readonly deps: {
    readonly environment: Environment
    readonly clock: Clock
    readonly monotonic?: Clock
    readonly randomBytes: RandomBytes
    readonly every?: Scheduler
  }
}

/** Null where no route takes one. */
export function idempotencyOf(parts: IdempotencyParts): Idempotency | null {
  const { bundle, config, store, log, deps, isOutage } = parts
  if (bundle.routes.every(({ idempotencyKey }) => idempotencyKey === undefined)) return null
  const { environment, clock, monotonic = clock, randomBytes } = deps
  return new Idempotency({
    store,
    secrets: environment.sessionSecrets,
    forwardHeaders: config.mcp.forwardHeaders,
    clock,
    monotonic,
    every: deps.every ?? intervalScheduler,
    randomBytes,
    keepMs: milliseconds(config.idempotency.keep),
    perUser: config.idempotency.perUser,
    production: environment.production,
    observe: recording(parts),
    log,
    isOutage,
  })
}

/** Who asks while the first call runs may ask often: the audit has what it is told then. */
const recording =
  ({ trail, telemetry, log }: Pick<IdempotencyParts, 'trail' | 'telemetry' | 'log'>): ObserveKey =>
  (what, { route, user, client }) => {
    telemetry.onRepeated?.(what)
    if (what === 'running') return
    trail.record({ event: 'idempotency', route, user, client, detail: { outcome: what } })
    log.info({ event: 'idempotency', outcome: what, route, user, client }, 'idempotency key')
  }
