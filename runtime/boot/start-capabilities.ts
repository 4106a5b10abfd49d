/** Starts what an application uses of the capabilities, and refuses what cannot be. */
import { BootError } from './boot-error.ts'
import type { AppFacts, Capability, CapabilityParts, Core } from './capability.ts'
import { type Owners, owningParts, settingNames } from './owners.ts'
import { type WatchedApp, type Watching, watchedByNone } from './watching.ts'

/** Of those that are used, by name, in the order of the list; `owners` are those of their descriptors. Throws `BootError`. */
export async function startCapabilities(
  list: readonly Capability[],
  core: Core,
  owners: Owners,
): Promise<ReadonlyMap<string, CapabilityParts>> {
  const started = new Map<string, CapabilityParts>()
  for (const capability of list) {
    if (capability.isUsed(core))
      started.set(
        capability.name,
        owningParts(capability.name, (await capability.start?.(core)) ?? {}, owners),
      )
    else refuseSettings(capability, core)
  }
  return started
}

/** Of the one that watches, if the application uses it. Throws `BootError`. */
export async function startWatching(list: readonly Capability[], app: WatchedApp): Promise<Watching> {
  const watching = list.find(({ watch, isUsed }) => watch !== undefined && isUsed(app))
  return (await watching?.watch?.(app)) ?? watchedByNone
}

/** What is set up for nothing is a mistake: the tag that needs it is missing, or misspelt. */
function refuseSettings({ settings, unused }: Capability, { config }: AppFacts): void {
  if (unused === null) return
  const written = settingNames(settings).find((name) => Reflect.get(config.written, name) !== undefined)
  if (written !== undefined) throw new BootError(`app/config.ts: config.${written} is set, but ${unused}`)
}
