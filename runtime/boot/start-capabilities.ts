/** Starts what an application uses of the capabilities, and refuses what cannot be. */
import { BootError } from './boot-error.ts'
import type { AppFacts, Capability, CapabilityParts, Core } from './capability.ts'
import type { LateTrail } from './late-trail.ts'
import { type Owners, owningParts, ownSettings } from './owners.ts'
import { type ResolvedConfig, writtenLimits } from './resolved-config.ts'
import { type WatchedApp, type Watching, watchedByNone } from './watching.ts'

/** Of those that are used, by name, in the order of the list; `owners` are those of their descriptors. Throws `BootError`. */
export async function startCapabilities(
  list: readonly Capability[],
  core: Core,
  { owners, trail }: { readonly owners: Owners; readonly trail: LateTrail },
): Promise<ReadonlyMap<string, CapabilityParts>> {
  const started = new Map<string, CapabilityParts>()
  for (const capability of list) {
    if (capability.isUsed(core)) {
      const parts = (await capability.start?.(core)) ?? {}
      if (parts.trail !== undefined) trail.keptBy(parts.trail)
      started.set(capability.name, owningParts(capability.name, parts, owners))
    }
  }
  return started
}

/** Of the one that watches, if the application uses it. Throws `BootError`. */
export async function startWatching(list: readonly Capability[], app: WatchedApp): Promise<Watching> {
  const watching = list.find(({ watch, isUsed }) => watch !== undefined && isUsed(app))
  return (await watching?.watch?.(app)) ?? watchedByNone
}

/** For how long rows of tables are kept, by their names. */
export const keptMsOf = (list: readonly Capability[], config: ResolvedConfig): ReadonlyMap<string, number> =>
  new Map(list.flatMap(({ keptMs }) => keptMs?.(config) ?? []))

/** What is set up for nothing is a mistake: the tag that needs it is missing, or misspelt. Throws `BootError`. */
export function refuseUnusedSettings(list: readonly Capability[], app: AppFacts): void {
  for (const capability of list) if (!capability.isUsed(app)) refuseSettings(capability, app)
}

function refuseSettings(capability: Capability, { config }: AppFacts): void {
  if (capability.unused === null) return
  const places = { config: config.written, 'config.limits': writtenLimits(config) }
  const found = ownSettings(capability).find(([name, from]) => Reflect.get(places[from], name) !== undefined)
  if (found === undefined) return
  throw new BootError(`app/config.ts: ${found[1]}.${found[0]} is set, but ${capability.unused}`)
}
