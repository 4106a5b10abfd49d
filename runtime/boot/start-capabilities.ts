/** Starts what an application uses of the capabilities, and refuses what cannot be. */
import { BootError } from './boot-error.ts'
import type { AppFacts, Capability, CapabilityParts, Core } from './capability.ts'
import type { LateTrail } from './late-trail.ts'
import { type ResolvedConfig, writtenLimits } from './resolved-config.ts'
import { type WatchedApp, type Watching, watchedByNone } from './watching.ts'

/** Of those that are used, by name, in the order of the list. Throws `BootError`. */
export async function startCapabilities(
  list: readonly Capability[],
  core: Core,
  trail: LateTrail,
): Promise<ReadonlyMap<string, CapabilityParts>> {
  refuseClashes(list)
  const started = new Map<string, CapabilityParts>()
  for (const capability of list) {
    if (!capability.isUsed(core)) refuseSettings(capability, core)
    else {
      const parts = (await capability.start?.(core)) ?? {}
      if (parts.trail !== undefined) trail.keptBy(parts.trail)
      started.set(capability.name, parts)
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

/** What is set up for nothing is a mistake: the tag that needs it is missing, or misspelt. */
function refuseSettings(capability: Capability, { config }: AppFacts): void {
  if (capability.unused === null) return
  const [written, limits] = [config.written, writtenLimits(config)]
  const isWritten = ([name, from]: readonly [string, 'config' | 'config.limits']): boolean =>
    Reflect.get(from === 'config' ? written : limits, name) !== undefined
  const found = settingsOf(capability).find(isWritten)
  if (found === undefined) return
  throw new BootError(`app/config.ts: ${found[1]}.${found[0]} is set, but ${capability.unused}`)
}

/** By name, each with where it stands. */
const settingsOf = ({
  settings,
  limits,
}: Capability): readonly (readonly [string, 'config' | 'config.limits'])[] => [
  ...[...(settings?.check.inner?.keys() ?? [])].map((name) => [name, 'config'] as const),
  ...[...(limits?.check.inner?.keys() ?? [])].map((name) => [name, 'config.limits'] as const),
]

/** Two capabilities of one name, or with one setting or method. Throws `BootError`. */
export function refuseClashes(list: readonly Capability[]): void {
  const owners = new Map<string, string>()
  for (const capability of list) {
    const { name } = capability
    const settings = settingsOf(capability).map(([setting, from]) =>
      from === 'config' ? `the setting ${setting}` : `the setting limits.${setting}`,
    )
    const methods = (capability.methods ?? []).map((method) => `the method ${method}`)
    for (const claimed of [`the name ${name}`, ...settings, ...methods]) {
      const owner = owners.get(claimed)
      if (owner !== undefined)
        throw new BootError(`the capabilities ${owner} and ${name} both have ${claimed}`)
      owners.set(claimed, name)
    }
  }
}
