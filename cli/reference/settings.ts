/** Every setting of `defineApp` as entries: what each must be comes from the check of the boot, its default from what an empty
 *  configuration comes to. */
import { configFields } from '../../runtime/boot/config-fields.ts'
import { type ResolvedConfig, resolveConfig } from '../../runtime/boot/resolve-config.ts'
import type { Fields } from '../../runtime/boot/settings/checks.ts'
import type { Entry, Fact } from './entry.ts'
import type { SettingText } from './settings/setting-text.ts'
import { settingTexts } from './settings/setting-texts.ts'

/** The settings by path, without the objects that hold them; `*` stands for a name of the application's own. */
export function settingPaths(
  fields: Fields = configFields,
  above = '',
): readonly (readonly [string, string])[] {
  return [...fields].flatMap(([name, { expected, inner }]) => {
    const path = above + name
    if (inner === null) return [[path, expected] as const]
    return settingPaths(inner, expected.endsWith('by name') ? `${path}.*.` : `${path}.`)
  })
}

export function settingEntries(): readonly Entry[] {
  const resolved = resolveConfig({})
  return settingPaths().flatMap(([path, expected]) => {
    const text = settingTexts[path]
    return text === undefined ? [] : [entryOf(path, expected, text, resolved)]
  })
}

function entryOf(path: string, expected: string, text: SettingText, resolved: ResolvedConfig): Entry {
  const last = path.split('.').at(-1) ?? path
  const facts: readonly Fact[] = [
    ['must be', expected],
    ['default', text.default ?? shown(valueAt(resolved, text.at ?? path))],
    ...(text.unit === undefined ? [] : [['unit', text.unit] as const]),
  ]
  const sample = {
    label: 'example',
    text: `defineApp({ ${nested(path.split('.'), text.example)} })`,
  } as const
  return {
    kind: 'setting',
    name: path,
    aliases: [last, path.replace('.*', '')],
    facts,
    meaning: text.meaning,
    samples: [sample],
  }
}

/** Names of the application's own by setting, with what must stand beside any other field of theirs. */
const named: Readonly<Record<string, { readonly name: string; readonly beside: string }>> = {
  providers: { name: 'company:', beside: '...credentials, ' },
  scopes: { name: "'notes:read': 'see notes', 'notes:write':", beside: "text: 'change notes', " },
}

/** The setting in its objects. */
function nested([name = '', ...more]: readonly string[], value: string): string {
  if (more.length === 0) return `${name}: ${value}`
  const own = named[name]
  if (own === undefined) return `${name}: { ${nested(more, value)} }`
  const field = nested(more.slice(1), value)
  return `${name}: { ${own.name} { ${field.startsWith('text:') ? '' : own.beside}${field} } }`
}

function valueAt(resolved: ResolvedConfig, path: string): unknown {
  return path.split('.').reduce((value: unknown, name) => Object(value)[name], resolved)
}

/** As somebody would write it; `none` for what is not there. */
function shown(value: unknown): string {
  if (typeof value === 'number') return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
  if (value === null || value === undefined) return 'none'
  const text = JSON.stringify(value)
  return text === '[]' || text === '{}' ? 'none' : text.replace(/^"(.*)"$/, '$1')
}
