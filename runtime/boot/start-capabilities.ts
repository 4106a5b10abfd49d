/** Starts what an application uses of the capabilities, and refuses what cannot be. */
import { BootError } from './boot-error.ts'
import type { AppFacts, Capability, CapabilityParts, Core } from './capability.ts'
import { type WatchedApp, type Watching, watchedByNone } from './watching.ts'

/** Of those that are used, by name, in the order of the list. Throws `BootError`. */
export async function startCapabilities(
  list: readonly Capability[],
  core: Core,
): Promise<ReadonlyMap<string, CapabilityParts>> {
  refuseClashes(list)
  const started = new Map<string, CapabilityParts>()
  for (const capability of list) {
    if (capability.isUsed(core)) started.set(capability.name, (await capability.start?.(core)) ?? {})
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
  const names = [...(settings?.check.inner?.keys() ?? [])]
  const written = names.find((name) => Reflect.get(config.written, name) !== undefined)
  if (written !== undefined) throw new BootError(`app/config.ts: config.${written} is set, but ${unused}`)
}

/** Two capabilities of one name, or with one setting. Throws `BootError`. */
export function refuseClashes(list: readonly Capability[]): void {
  const owners = new Map<string, string>()
  for (const { name, settings } of list) {
    for (const claimed of [
      `the name ${name}`,
      ...[...(settings?.check.inner?.keys() ?? [])].map(settingNamed),
    ]) {
      const owner = owners.get(claimed)
      if (owner !== undefined)
        throw new BootError(`the capabilities ${owner} and ${name} both have ${claimed}`)
      owners.set(claimed, name)
    }
  }
}

const settingNamed = (name: string): string => `the setting ${name}`
