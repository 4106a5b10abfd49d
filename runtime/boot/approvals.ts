/** The approvals of an application whose routes ask for some. Source: decisions/http.md, Approval. */
import { Approvals } from '../approval/approvals.ts'
import type { ApprovalRecord, ObserveApproval } from '../contract/approval.ts'
import type { AppBundle } from '../contract/bundle.ts'
import type { Bus } from '../contract/bus.ts'
import type { AuditTrail } from '../contract/calls.ts'
import type { Clock, Logger, RandomBytes } from '../contract/store.ts'
import { intervalScheduler, type Scheduler } from '../scheduler.ts'
import type { Store } from '../store/store.ts'
import { BootError } from './boot-error.ts'
import type { Environment } from './environment.ts'
import type { ResolvedConfig } from './resolve-config.ts'

interface ApprovalParts {
  readonly bundle: Pick<AppBundle, 'routes'>
  readonly config: Pick<ResolvedConfig, 'mcp' | 'providers'>
  readonly store: Store
  readonly bus: Bus
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

/** Null where no route needs one. Throws `BootError` where nobody can sign in to decide. */
export function approvalsOf({
  bundle,
  config,
  store,
  bus,
  log,
  trail,
  deps,
}: ApprovalParts): Approvals | null {
  const [first] = bundle.routes.filter(({ approval }) => approval !== undefined)
  if (first === undefined) return null
  const { environment, clock, randomBytes } = deps
  if (Object.keys(config.providers).length === 0 && !environment.devLogin)
    throw new BootError(
      `${first.id} has @approval, and nobody can sign in to approve: app/config.ts needs a provider (defineApp({ providers })), or DEV_LOGIN=1 in development`,
    )
  return new Approvals({
    store,
    clientName: async (id) => (await store.findClient(id))?.name ?? null,
    secrets: environment.sessionSecrets,
    baseUrl: environment.baseUrl,
    forwardHeaders: config.mcp.forwardHeaders,
    clock,
    monotonic: deps.monotonic ?? clock,
    every: deps.every ?? intervalScheduler,
    randomBytes,
    bus,
    observe: recording(trail, log),
  })
}

/** Who, what and how; of the call its digest alone. */
const recording =
  (trail: AuditTrail, log: Logger): ObserveApproval =>
  (action, row) => {
    const { user, client, grant, route } = row
    trail.record({ event: 'approval', user, client, grant, route, detail: detailOf(action, row) })
    log.info({ event: 'approval', action, route, user, client, grant, method: row.method }, 'approval')
  }

const detailOf = (
  action: Parameters<ObserveApproval>[0],
  { id, method, authTime }: ApprovalRecord,
): Readonly<Record<string, string | number>> => ({
  action,
  approval: id,
  ...(method === null ? {} : { method }),
  ...(authTime === null ? {} : { authTime }),
})
