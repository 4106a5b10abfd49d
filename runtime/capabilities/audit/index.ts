/** The acts of users and clients: a row a tool call, a request of a route with `@audit strict`, a change of access. */

import { BootError } from '../../boot/boot-error.ts'
import type { AppFacts, Capability } from '../../boot/capability.ts'
import type { ResolvedConfig } from '../../boot/resolved-config.ts'
import type { Resolved } from '../../boot/settings/setting.ts'
import type { Route } from '../../contract/route.ts'
import { type AuditSettings, auditSettings } from './settings.ts'
import { auditTables } from './tables.ts'

const settingsOf = ({ written }: Pick<ResolvedConfig, 'written'>): Resolved<AuditSettings> =>
  auditSettings.read(written).audit

const dayMs = 24 * 60 * 60 * 1000

export const auditing: Capability = {
  name: 'audit',
  settings: auditSettings,
  tables: auditTables,
  row: { name: 'audit', text: (rule: string) => `audit ${rule}` },
  isUsed: (app) => settingsOf(app.config).enabled || strictRoute(app) !== undefined,
  unused: null,
  start: async (core) => {
    if (!settingsOf(core.config).enabled) throw switchedOff(core)
    return (await import('./start.ts')).startAudit(core)
  },
  keptMs: (config) => {
    const { keepDays } = settingsOf(config)
    return keepDays === false ? [] : auditTables.map(({ name }) => [name, keepDays * dayMs])
  },
  recorder: async (store, config) => {
    if (config !== null && !settingsOf(config).enabled) return null
    return (await import('./operator-records.ts')).operatorRecords(store)
  },
}

const strictRoute = ({ bundle }: AppFacts): Route | undefined =>
  bundle.routes.find((route) => route.audit === 'strict')

const switchedOff = (app: AppFacts): BootError =>
  new BootError(`${strictRoute(app)?.id} has @audit strict, but app/config.ts says audit: { enabled: false }`)
