/** What one capability alone may have: what two of them claim ends the start. */
import type { Endpoint } from '../contract/http.ts'
import { shapeOfPath } from '../http/probes/built-in-addresses.ts'
import { coreTables } from '../store/core-tables.ts'
import { BootError } from './boot-error.ts'
import type { Capability, CapabilityParts } from './capability.ts'
import type { SettingsTable } from './settings/setting.ts'
import { coreSettings } from './settings/table.ts'

/** The owner of each thing, by the words of an error. */
export type Owners = Map<string, string>

const core = 'acmcp itself'

/** What descriptors claim, used or not. Throws `BootError`. */
export function descriptorOwners(list: readonly Capability[]): Owners {
  const owners: Owners = new Map()
  const claim = claimant(owners)
  for (const setting of ownSettings({ settings: coreSettings })) claim(core, settingNamed(setting))
  for (const name of Object.keys(coreTables)) claim(core, `the table ${name}`)
  for (const method of ['tools/list', 'tools/call']) claim(core, `the method ${method}`)
  for (const type of ['authorization_code', 'refresh_token']) claim(core, `the token grant ${type}`)
  for (const [place, { name, ...capability }] of list.entries()) {
    if (list.findIndex((other) => other.name === name) < place)
      throw new BootError(`two capabilities have the name ${name}`)
    for (const setting of ownSettings(capability)) claim(name, settingNamed(setting))
    for (const method of capability.methods ?? []) claim(name, `the method ${method}`)
    for (const table of capability.tables ?? []) claim(name, `the table ${table.name}`)
    if (capability.row !== undefined) claim(name, `the field ${capability.row.name} of routes`)
    for (const counter of capability.counters ?? []) claim(name, `the counter ${counter.name}`)
  }
  return owners
}

const settingNamed = ([name, from]: Setting): string => `the setting ${from}.${name}`

type Setting = readonly [name: string, from: 'config' | 'config.limits']

/** Its settings, each with where it stands. */
export const ownSettings = ({
  settings,
  limits,
}: Pick<Capability, 'settings' | 'limits'>): readonly Setting[] => [
  ...namesIn(settings).map((name): Setting => [name, 'config']),
  ...namesIn(limits).map((name): Setting => [name, 'config.limits']),
]

const namesIn = (table: SettingsTable | undefined): readonly string[] => [
  ...(table?.check.inner?.keys() ?? []),
]

/** The parts, which claim endpoints and grants when the authorization server is made: before it listens. They throw `BootError`. */
export function owningParts(owner: string, parts: CapabilityParts, owners: Owners): CapabilityParts {
  const claim = claimant(owners)
  const { endpoint, grants, endpoints, pages } = parts
  const claimed = (list: readonly Endpoint[]): readonly Endpoint[] => {
    for (const { methods, path } of list)
      for (const method of methods) claim(owner, `the endpoint ${method} ${shapeOfPath(path)}`)
    return list
  }
  return {
    ...parts,
    ...(pages && { pages: (room) => claimed(pages(room)) }),
    ...(endpoints && { endpoints: (room) => claimed(endpoints(room)) }),
    ...(grants && {
      grants(room) {
        const made = grants(room)
        for (const type of made.keys()) claim(owner, `the token grant ${type}`)
        return made
      },
    }),
    ...(endpoint && {
      async endpoint(room) {
        const made = await endpoint(room)
        for (const method of made.methods?.keys() ?? []) claim(owner, `the method ${method}`)
        return made
      },
    }),
  }
}

const claimant =
  (owners: Owners) =>
  (owner: string, what: string): void => {
    const other = owners.get(what) ?? owner
    if (other !== owner) throw new BootError(`${other} and ${owner} both have ${what}`)
    owners.set(what, owner)
  }
