/** The rule about what settings are set to: the runtime's own table of settings judges what the build can see of them. */

import { allSettings } from '../../../../runtime/boot/settings/all-settings.ts'
import { ConfigError, type SettingMistake } from '../../../../runtime/boot/settings/checks.ts'
import { settingWrong } from '../../diagnostics/config-diagnostics.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import type { At } from '../../ir/schema.ts'
import type { Declared, WrittenSetting } from '../../ir/source-model.ts'

/** Of these the build tells more: ACM161, and the diagnostics of scopes. */
const checkedElsewhere = ['config.mcp.forwardHeaders', 'config.scopes']

/** They come from the environment, and no other setting depends on what they are. */
const credentials = /\.client(Id|Secret)$/

export function checkSettings({ settings }: Declared): readonly Diagnostic[] {
  if (settings === null) return []
  const seen: Seen = { places: new Map(), hidden: [] }
  return mistakesIn(seenOf(settings, 'config', seen))
    .filter(({ at }) => !checkedElsewhere.some((path) => isWithin(at, path)))
    .flatMap(({ at, text }) => {
      const place = placeFor(at, seen)
      return place === null ? [] : [settingWrong(place, text)]
    })
}

function mistakesIn(value: unknown): readonly SettingMistake[] {
  try {
    allSettings.check('config', value)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes
    throw error
  }
}

interface Seen {
  /** By the name that the runtime gives a setting. */
  readonly places: Map<string, At>
  /** Settings that the build cannot see. */
  readonly hidden: string[]
}

/** The value as the runtime would see it; undefined where it is not seen, which no check refuses by itself. */
function seenOf(written: WrittenSetting, path: string, seen: Seen): unknown {
  seen.places.set(path, written.at)
  switch (written.kind) {
    case 'plain':
      return written.value
    case 'function':
      return () => undefined
    case 'unseen':
      if (credentials.test(path)) return '…'
      seen.hidden.push(path)
      return undefined
    case 'list':
      return written.items.map((item, index) => seenOf(item, `${path}[${index}]`, seen))
    case 'object':
      if (written.hasMore) seen.hidden.push(`${path}.…`)
      return Object.fromEntries(
        written.fields.map(({ name, value }) => [name, seenOf(value, `${path}${step(name)}`, seen)]),
      )
  }
}

const step = (name: string): string => (name.includes('/') ? `['${name}']` : `.${name}`)

const isWithin = (at: string, path: string): boolean =>
  at.startsWith(path) && /^($|[.[])/.test(at.slice(path.length))

/** Where the setting stands, or what it is missing in; null where what is not seen could make it right. */
function placeFor(at: string, { places, hidden }: Seen): At | null {
  const holder = [...places.keys()]
    .filter((path) => isWithin(at, path))
    .sort((a, b) => b.length - a.length)[0]
  if (holder === undefined) return null
  return hidden.some((path) => isWithin(path, holder)) ? null : (places.get(holder) ?? null)
}
