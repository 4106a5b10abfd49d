/** The audit of an application. Source: decisions/audit.md, Writing. */
import type { CapabilityParts, Core } from '../../boot/capability.ts'
import { callAudit } from './audit-records.ts'
import { KeptTrail } from './audit-trail.ts'
import { auditVerbs } from './audit-verbs.ts'
import { RouteAudit } from './route-audit.ts'
import { auditSettings } from './settings.ts'

export function startAudit(core: Core): CapabilityParts {
  const { bundle, environment, authInfoOf, services } = core
  const store = core.store.verbs(auditVerbs)
  const { digest } = core.settings(auditSettings).audit
  const strict = bundle.routes.filter(({ audit }) => audit === 'strict').map(({ id }) => id)
  const trail = new KeptTrail({ ...core, store })
  const userOfSession: ReturnType<Core['services']>['userOfSession'] = (session) =>
    services().userOfSession(session)
  const audits = new Map(
    strict.map((id) => [id, new RouteAudit(id, { trail, findAuthInfo: authInfoOf, userOfSession })]),
  )
  const secret = environment.sessionSecrets[0] ?? ''
  return {
    trail,
    calledTools: store.listCalledTools,
    observe: callAudit({ trail, secret, digestsAll: digest, strictRoutes: new Set(strict) }),
    wrap: ({ route }) => audits.get(route.id)?.wrappersOf(route) ?? [],
    watchGuards: ({ id }, guards) => audits.get(id)?.recordingRefusals(guards) ?? guards,
  }
}
