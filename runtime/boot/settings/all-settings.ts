/** The whole table of settings: those of the core and those of the capabilities. */
import { capabilities } from '../../capabilities/index.ts'
import type { ResolvedConfig } from '../resolved-config.ts'
import { nested } from './checks.ts'
import type { SettingsTable } from './setting.ts'
import { coreSettings } from './table.ts'

/** One table of several. */
const joined = (tables: readonly SettingsTable[]): SettingsTable => ({
  check: nested(new Map(tables.flatMap(({ check }) => [...(check.inner ?? [])]))),
  byDefault: Object.assign({}, ...tables.map(({ byDefault }) => byDefault)),
})

const { inner } = coreSettings.check
const limits = joined([
  { check: inner?.get('limits') ?? nested(new Map()), byDefault: coreSettings.byDefault.limits },
  ...capabilities.flatMap((capability) => capability.limits ?? []),
])

export const allSettings: SettingsTable = joined([
  coreSettings,
  { check: nested(new Map([['limits', limits.check]])), byDefault: { limits: limits.byDefault } },
  ...capabilities.flatMap(({ settings }) => settings ?? []),
])

/** Throws a `ConfigError` for settings of a capability that do not fit what else is set. */
export function checkCapabilities(config: ResolvedConfig): void {
  for (const { checkSettings } of capabilities) checkSettings?.(config)
}
