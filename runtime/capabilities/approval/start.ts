/** What approvals do in an application whose routes ask for some. Source: decisions/http.md and decisions/oauth.md, Approval. */

import { BootError } from '../../boot/boot-error.ts'
import type { CapabilityParts, Core } from '../../boot/capability.ts'
import { clientNames, configuredNames } from '../../oauth/clients/client-names.ts'
import { resolveProvider } from '../../oauth/providers/presets.ts'
import { Approvals } from './approvals.ts'
import { approvalCounter } from './counter.ts'
import { approvingBySignIn } from './fresh-sign-in.ts'
import { inbox } from './page.ts'
import { approvalPages } from './pages.ts'
import { routeApproval } from './route-approval.ts'
import { approvalEntry } from './sealed-call.ts'
import { approvalSettings } from './settings.ts'
import { isApprovalAddress, waitingCall } from './shown-approval.ts'
import { askingApproval } from './tool-calls.ts'
import type { ApprovalDesk, ApprovalRecord, AskedApproval, ObserveApproval, ShownCall } from './types.ts'
import { approvalVerbs } from './verbs.ts'

/** With what tests and operators look at. */
export interface ApprovalParts extends CapabilityParts {
  readonly desk: ApprovalDesk
}

/** Throws `BootError` where no user can sign in to decide. */
export function startApproval(core: Core): ApprovalParts {
  const { approval, onApprovalAsked } = core.settings(approvalSettings)
  const { reauthenticate: freshSignInMs } = approval
  refuseWithoutSignIn(core)
  const unable = freshSignInMs === null ? [] : unableToApprove(core)
  if (unable.length > 0)
    core.log.warn(
      { providers: unable },
      'users of these cannot approve: they do not say when somebody signed in',
    )
  const names = clientNames(configuredNames(core.config.oauth.confidentialClients), core.store)
  const approvals = new Approvals({
    ...core,
    store: core.store.verbs(approvalVerbs),
    clientNames: names,
    secrets: core.environment.sessionSecrets,
    baseUrl: core.environment.baseUrl,
    forwardHeaders: core.config.mcp.forwardHeaders,
    bus: ownBus(core),
    observe: recording(core),
    onAsked: telling(onApprovalAsked, names, core),
  })
  return {
    desk: approvals,
    asksCaller: (route) => routeApproval(route) !== undefined,
    question: ({ route, codec, tools }) => {
      const required = routeApproval(route)
      return required === undefined ? null : approvals.questionOf(route, required, { codec, tools })
    },
    call: askingApproval(approvals),
    pages: (room) => approvalPages({ ...room, desk: approvals, freshSignInMs }),
    signIns: new Map([['approval', approvingBySignIn(approvals, freshSignInMs)]]),
    isReturnAddress: isApprovalAddress,
    inbox: async ({ id }) => inbox((await approvals.pending(id)).map(waitingCall)),
    purge: () => approvals.expire(),
  }
}

/** On a file no other process waits for a decision of this one: it is not written there. */
const ownBus = ({ bus, store }: Core): Core['bus'] =>
  store.isShared ? bus : { ...subscribing(bus), publish: () => {} }

const subscribing = (bus: Core['bus']): Omit<Core['bus'], 'publish'> => ({
  subscribe: (topic, listener) => bus.subscribe(topic, listener),
  onGap: (listener) => bus.onGap(listener),
  close: () => bus.close(),
})

type Names = ReturnType<typeof clientNames>

/** The application's own function is not waited for. */
function telling(
  onApprovalAsked: ReturnType<(typeof approvalSettings)['read']>['onApprovalAsked'],
  names: Names,
  { services, log }: Core,
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

const named = async (id: string, names: Names): Promise<AskedApproval['client']> => ({
  id,
  name: (await names([id])).get(id) ?? null,
})

const recording =
  ({ trail, count, log }: Core): ObserveApproval =>
  (action, row) => {
    const { user, client, grant, route, method } = row
    count?.(approvalCounter, action)
    trail.record(approvalEntry(action, row))
    log.info({ event: 'approval', action, route, user, client, grant, method }, 'approval')
  }

function refuseWithoutSignIn({ bundle, config, environment }: Core): void {
  if (Object.keys(config.providers).length > 0 || environment.devLogin) return
  const first = bundle.routes.find((route) => routeApproval(route) !== undefined)
  throw new BootError(
    `${first?.id} has @approval, and nobody can sign in to approve: app/config.ts needs a provider (defineApp({ providers })), or DEV_LOGIN=1 in development`,
  )
}

/** The ways to sign in that never say when the user did. Throws `BootError` where there is no other. */
function unableToApprove({ config, environment }: Core): readonly string[] {
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
