/** The desk that blocks and erases users. */
import type { CapabilityParts, Core } from '../../boot/capability.ts'
import { LeavingUsers } from './leaving-users.ts'
import { leavingVerbs } from './leaving-verbs.ts'
import { leavingSettings } from './settings.ts'

export function startLeaving(core: Core): CapabilityParts {
  const { store, trail, isRecorded } = core
  const users = new LeavingUsers({
    ...core,
    store: { ...store, ...store.verbs(leavingVerbs) },
    by: 'application',
    record: (event, user, facts) => core.record(event, { ids: { user }, facts }),
    flush: isRecorded() ? trail.flush : null,
    onErase: core.settings(leavingSettings).onErase,
  })
  const goOn = (signal: AbortSignal): Promise<void> => users.continueErasures(signal)
  return { services: { users }, begin: goOn, purge: goOn }
}
