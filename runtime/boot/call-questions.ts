/** What the store is asked before the method of a route: the approvals and the idempotency keys of an application whose routes ask for
 *  some. Source: decisions/http.md, Approval and Idempotency. */
import { Approvals } from '../approval/approvals.ts'
import { approvalEntry } from '../approval/sealed-call.ts'
import { idempotencyVerbs } from '../capabilities/idempotency/key-verbs.ts'
import type {
  ApprovalAction,
  ApprovalRecord,
  AskedApproval,
  ObserveApproval,
  ShownCall,
} from '../contract/approval.ts'
import type { AppBundle } from '../contract/bundle.ts'
import type { Bus } from '../contract/bus.ts'
import type { AuditTrail } from '../contract/calls.ts'
import type { KeyObservation, ObserveKey } from '../contract/idempotency.ts'
import type { Clock, Logger, RandomBytes, Services } from '../contract/store.ts'
import { Idempotency, type IdempotencyOptions } from '../idempotency/idempotency.ts'
import { clientNames, configuredNames } from '../oauth/clients/client-names.ts'
import { resolveProvider } from '../oauth/providers/presets.ts'
import { intervalScheduler, type Scheduler } from '../scheduler.ts'
import type { Store } from '../store/store.ts'
import { BootError } from './boot-error.ts'
import type { Environment } from './environment.ts'
import type { ResolvedConfig } from './resolve-config.ts'
import { milliseconds } from './settings/table.ts'

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

interface ApprovalParts extends QuestionParts {
  readonly config: Pick<ResolvedConfig, 'approval' | 'mcp' | 'oauth' | 'onApprovalAsked' | 'providers'>
  readonly bus: Bus
  readonly telemetry: { readonly onApproval: ((action: ApprovalAction) => void) | null }
  /** Made after the approvals. */
  readonly services: () => Services
}

/** Null where no route needs one. Throws `BootError` where nobody can sign in to decide. */
export function approvalsOf(parts: ApprovalParts): Approvals | null {
  const { bundle, config, store, bus, log, deps } = parts
  const [first] = bundle.routes.filter(({ approval }) => approval !== undefined)
  if (first === undefined) return null
  const { environment, clock, randomBytes } = deps
  if (Object.keys(config.providers).length === 0 && !environment.devLogin)
    throw new BootError(
      `${first.id} has @approval, and nobody can sign in to approve: app/config.ts needs a provider (defineApp({ providers })), or DEV_LOGIN=1 in development`,
    )
  const unable = unableToApprove({ config, environment })
  if (unable.length > 0)
    log.warn({ providers: unable }, 'users of these cannot approve: they do not say when somebody signed in')
  const names = clientNames(configuredNames(config.oauth.confidentialClients), store)
  return new Approvals({
    store,
    clientNames: names,
    secrets: environment.sessionSecrets,
    baseUrl: environment.baseUrl,
    forwardHeaders: config.mcp.forwardHeaders,
    clock,
    monotonic: deps.monotonic ?? clock,
    every: deps.every ?? intervalScheduler,
    randomBytes,
    bus,
    observe: recording(parts),
    onAsked: telling(parts, names),
  })
}

/** The application's own function is not waited for. */
function telling(
  { config: { onApprovalAsked }, services, log }: ApprovalParts,
  names: ReturnType<typeof clientNames>,
): (call: ShownCall, row: ApprovalRecord, url: string) => void {
  if (onApprovalAsked === null) return () => {}
  const tell = async ({ name, sentence }: ShownCall, row: ApprovalRecord, url: string): Promise<void> => {
    const { id, user, route, expiresAt } = row
    const client = row.client === null ? null : await named(row.client, names)
    await onApprovalAsked({ id, url, user, client, route, name, sentence, expiresAt }, services())
  }
  return (call, row, url) => {
    tell(call, row, url).catch((error: unknown) => {
      log.error({ err: error, approval: row.id }, 'onApprovalAsked threw')
    })
  }
}

const named = async (
  id: string,
  names: ReturnType<typeof clientNames>,
): Promise<AskedApproval['client']> => ({
  id,
  name: (await names([id])).get(id) ?? null,
})

const recording =
  ({ trail, telemetry, log }: Pick<ApprovalParts, 'trail' | 'telemetry' | 'log'>): ObserveApproval =>
  (action, row) => {
    const { user, client, grant, route, method } = row
    telemetry.onApproval?.(action)
    trail.record(approvalEntry(action, row))
    log.info({ event: 'approval', action, route, user, client, grant, method }, 'approval')
  }

interface SignInParts {
  readonly config: Pick<ResolvedConfig, 'approval' | 'providers'>
  readonly environment: Pick<Environment, 'devLogin'>
}

/** The ways to sign in that never say when somebody did, where approving needs that. Throws `BootError` where there is no other. */
function unableToApprove({ config, environment }: SignInParts): readonly string[] {
  if (config.approval.reauthenticate === null) return []
  const kinds = Object.entries(config.providers).map(
    ([name, provider]) => [name, resolveProvider(name, provider).kind] as const,
  )
  const unable = kinds.filter(([, kind]) => kind !== 'oidc').map(([name]) => name)
  if (unable.length === kinds.length)
    throw new BootError(
      'approval.reauthenticate needs an OpenID provider that says when somebody signed in (auth_time): GitHub and the development login do not',
    )
  return environment.devLogin ? [...unable, 'dev'] : unable
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
    store: store.verbs(idempotencyVerbs),
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
