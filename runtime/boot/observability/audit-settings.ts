/** The audit as the configuration asks for it. Source: decisions/audit.md, Writing. */
import { callAudit } from '../../audit/audit-records.ts'
import { KeptTrail } from '../../audit/audit-trail.ts'
import { RouteAudit } from '../../audit/route-audit.ts'
import type { AppBundle } from '../../contract/bundle.ts'
import type { AuditTrail, ObserveCall } from '../../contract/calls.ts'
import type { Clock, Logger, RandomBytes, Services } from '../../contract/store.ts'
import type { AccessControl } from '../../http/access/access-control.ts'
import { intervalScheduler, type Scheduler } from '../../scheduler.ts'
import type { Store } from '../../store/store.ts'
import { BootError } from '../boot-error.ts'
import type { Environment } from '../environment.ts'
import type { ResolvedConfig } from '../resolved-config.ts'

interface AuditParts {
  readonly bundle: Pick<AppBundle, 'routes'>
  readonly config: Pick<ResolvedConfig, 'audit'>
  readonly store: Store
  readonly log: Logger
  readonly deps: {
    readonly environment: Pick<Environment, 'sessionSecrets'>
    readonly clock: Clock
    readonly monotonic?: Clock
    readonly randomBytes: RandomBytes
    readonly every?: Scheduler
  }
}

export interface Audit {
  readonly trail: AuditTrail
  /** Of tool calls. */
  readonly observers: readonly ObserveCall[]
  /** Those of routes with `@audit strict`, by the id of the route. */
  ofRoutes(access: AccessControl, services: Services): ReadonlyMap<string, RouteAudit>
  /** Writes what waits. */
  close(): Promise<void>
}

/** Throws `BootError` when a route asks for it and it is switched off. */
export function auditOf({ bundle, config, store, log, deps }: AuditParts): Audit {
  const strict = bundle.routes.filter(({ audit }) => audit === 'strict').map(({ id }) => id)
  if (!config.audit.enabled) return noAudit(strict)
  const { clock, monotonic, randomBytes, every = intervalScheduler } = deps
  const trail = new KeptTrail({ store, log, clock, monotonic, randomBytes, every })
  const secret = deps.environment.sessionSecrets[0] ?? ''
  return {
    trail,
    observers: [callAudit({ trail, secret, digestsAll: config.audit.digest, strictRoutes: new Set(strict) })],
    ofRoutes(access, { userOfSession }) {
      const findAuthInfo = access.authInfoOf
      return new Map(strict.map((id) => [id, new RouteAudit(id, { trail, findAuthInfo, userOfSession })]))
    },
    close: () => trail.close(),
  }
}

function noAudit([strict]: readonly string[]): Audit {
  if (strict !== undefined)
    throw new BootError(`${strict} has @audit strict, but app/config.ts says audit: { enabled: false }`)
  return {
    trail: { record: () => {}, recordDurably: async () => {}, flush: async () => {} },
    observers: [],
    ofRoutes: () => new Map(),
    close: async () => {},
  }
}
