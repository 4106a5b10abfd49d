/** What idempotency keys do in an application whose routes take some. Source: decisions/http.md, Idempotency. */

import type { CapabilityParts, Core } from '../../boot/capability.ts'
import { milliseconds } from '../../boot/settings/checks.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { keyCounter } from './counter.ts'
import { Idempotency } from './idempotency.ts'
import { keyRule } from './key-rule.ts'
import { idempotencyVerbs } from './key-verbs.ts'
import { idempotencySettings } from './settings.ts'
import type { ObserveKey } from './types.ts'

export function startIdempotency(core: Core): CapabilityParts {
  const { environment, config, store } = core
  const { keep, perUser } = core.settings(idempotencySettings).idempotency
  const idempotency = new Idempotency({
    ...core,
    store: store.verbs(idempotencyVerbs),
    secrets: environment.sessionSecrets,
    forwardHeaders: config.mcp.forwardHeaders,
    keepMs: milliseconds(keep),
    perUser,
    production: environment.production,
    observe: recording(core),
    isOutage: (error) => error instanceof StoreUnavailable,
  })
  return {
    asksCaller: (route) => keyRule(route) !== undefined,
    question: ({ route, codec }) => {
      const rule = keyRule(route)
      return rule === undefined ? null : idempotency.questionOf(route, rule, codec)
    },
    wrap: ({ route }) => (keyRule(route) === undefined ? [] : idempotency.wrappers),
  }
}

/** A client may ask often while the first call runs: the audit has what it is told then. */
const recording =
  ({ trail, count, log }: Core): ObserveKey =>
  (what, { route, user, client }) => {
    count?.(keyCounter, what)
    if (what === 'running') return
    trail.record({ event: 'idempotency', route, user, client, detail: { outcome: what } })
    log.info({ event: 'idempotency', outcome: what, route, user, client }, 'idempotency key')
  }
