/** What the store is asked before the method of a route: the approvals and the idempotency keys of an application whose routes ask for
 *  some. Source: decisions/http.md, Approval and Idempotency. */
import type { AppBundle } from '../contract/bundle.ts'
import type { AuditTrail } from '../contract/calls.ts'
import type { KeyObservation, ObserveKey } from '../contract/idempotency.ts'
import type { Clock, Logger, RandomBytes } from '../contract/store.ts'
import { Idempotency, type IdempotencyOptions } from '../idempotency/idempotency.ts'
import { intervalScheduler, type Scheduler } from '../scheduler.ts'
import type { Store } from '../store/store.ts'
import type { Environment } from './environment.ts'
import type { ResolvedConfig } from './resolved-config.ts'
import { milliseconds } from './settings/checks.ts'

interface QuestionParts {
  readonly bundle: Pick<AppBundle, 'routes'>
  readonly store: Store
  readonly log: Logger
  readonly trail: AuditTrail
  readonly deps: {
    readonly environment: Environment
    readonly clock: Clock
    readonly randomBytes: RandomBytes
    readonly monotonic?: Clock
    readonly every?: Scheduler
  }
}

interface IdempotencyParts extends QuestionParts, Pick<IdempotencyOptions, 'isOutage'> {
  readonly config: Pick<ResolvedConfig, 'idempotency' | 'mcp'>
  readonly telemetry: { readonly onRepeated: ((what: KeyObservation) => void) | null }
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
    observe: recordingKeys(parts),
    log,
    isOutage,
  })
}

/** Who asks while the first call runs may ask often: the audit has what it is told then. */
const recordingKeys =
  ({ trail, telemetry, log }: Pick<IdempotencyParts, 'trail' | 'telemetry' | 'log'>): ObserveKey =>
  (what, { route, user, client }) => {
    telemetry.onRepeated?.(what)
    if (what === 'running') return
    trail.record({ event: 'idempotency', route, user, client, detail: { outcome: what } })
    log.info({ event: 'idempotency', outcome: what, route, user, client }, 'idempotency key')
  }
