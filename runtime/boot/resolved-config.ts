import type { Scopes } from '../scopes.ts'
import type { Resolved } from './settings/setting.ts'
import type { Settings } from './settings/table.ts'

/** The configuration as the rest of the runtime works with it: checked, and with every default of the core filled in. */
export interface ResolvedConfig extends Omit<Resolved<Settings>, 'scopes'> {
  /** The name of the service as the application gives it, or null. */
  readonly serviceName: string | null
  readonly scopes: Scopes
  /** As `app/config.ts` exported it, checked: capabilities read their own settings in it. */
  readonly written: object
}

/** The same of `limits`. */
export const writtenLimits = ({ written }: Pick<ResolvedConfig, 'written'>): object =>
  'limits' in written && typeof written.limits === 'object' ? (written.limits ?? {}) : {}
