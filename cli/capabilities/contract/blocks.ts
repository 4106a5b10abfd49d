/** A document cut where its entries begin, without being parsed: equal texts need no more than that. What is not laid out as
 *  `acmcp build` does it is parsed first, and laid out so. */
import { stringify } from 'yaml'
import { parseForeign } from './foreign-yaml.ts'

export type Blocks = ReadonlyMap<string, string>

/** A text that is no document of ours; the message says why. */
export class Unreadable extends Error {}

/** The entries of a document by key, each as a mapping of one. Throws `Unreadable` where it has none of `keys`. */
export function documentEntries(text: string, keys: readonly string[]): Blocks {
  const entries = entriesBelow(`\n${text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')}`)
  const missing = keys.filter((key) => !entries.has(key))
  if (missing.length > 0) throw new Unreadable(`it has no ${missing.join(' and no ')}`)
  return entries
}

/** The entries below the key of a block, each as a mapping of one. */
export function entriesBelow(block = ''): Blocks {
  const parts = partsBelow(block, 'entries')
  const entries = parts?.map((part) => [keyOf(part), part] as const)
  const isKeyed = (entry: readonly [string | null, string]): entry is readonly [string, string] =>
    entry[0] !== null
  return new Map(entries?.every(isKeyed) === true ? entries : laidOutAnew(block, entriesBelow))
}

/** The items of the list below the key of a block, each as a list of one. */
export const itemsBelow = (block = ''): readonly string[] =>
  partsBelow(block, 'items') ?? [...laidOutAnew(block, itemsBelow)]

/** What stands beside or below a key, as data. A text that is no YAML throws. */
export function fieldUnder(block: string): unknown {
  const [value] = Object.values(Object(parseForeign(block)))
  return value ?? null
}

export const itemOf = (block: string): unknown => {
  const list: unknown = parseForeign(block)
  return Array.isArray(list) ? list[0] : null
}

/** A block of the whole document has no key on its first line. */
function laidOutAnew<T>(block: string, cut: (block: string) => Iterable<T>): Iterable<T> {
  const value = block.startsWith('\n') ? parseForeign(block) : fieldUnder(block)
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return []
  return cut(`\n${stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })}`)
}

/** A line as far in as the first one begins a part; deeper ones, and empty ones, belong to the part above. Null where something
 *  stands beside the key, or further out than the first line. */
function partsBelow(block: string, kind: 'entries' | 'items'): readonly string[] | null {
  const indent = /\n( *)(?=[^ #\n])/.exec(block)?.[1]?.length
  if (indent === undefined || !/^[^\n]*:[ \t]*(?:#[^\n]*)?\n|^\n/.test(block)) return null
  const parts: string[] = []
  let start = -1
  for (const { 0: line, index } of block.matchAll(new RegExp(`\\n {0,${indent}}(?=[^ #\\n])`, 'g'))) {
    const at = index + 1
    const isItem = ['- ', '-\n'].includes(block.slice(at + indent, at + indent + 2))
    if (line.length <= indent || (kind === 'items' && !isItem)) return null
    if (isItem && kind === 'entries') continue // of the key above it
    if (start >= 0) parts.push(block.slice(start, at))
    start = /^(?:---|\.\.\.|%YAML)/.test(block.slice(at, at + 5)) ? -1 : at
  }
  return start < 0 ? parts : [...parts, block.slice(start)]
}

const longestKey = 1100

function keyOf(block: string): string | null {
  const start = block.slice(0, longestKey).trimStart()
  const plain = /^([^"'?#\s:-][^:\n]*|-[^\s:][^:\n]*):(?=\s)/.exec(start)?.[1]
  if (plain !== undefined) return plain
  const key = /^(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|[^"'?\n](?:[^:\n]|:(?!\s))*)(?=:\s)/.exec(start)?.[0]
  return key === undefined ? null : String(parseForeign(key))
}

/** Blocks whose text is another, and those that use one, however far. `namesIn`: whom a text names. */
export function changedBlocks(
  before: Blocks,
  after: Blocks,
  namesIn: (text: string) => readonly string[],
): ReadonlySet<string> {
  const names = [...new Set([...before.keys(), ...after.keys()])]
  const changed = new Set(names.filter((name) => before.get(name) !== after.get(name)))
  const users = new Map<string, string[]>()
  for (const [name, text] of after)
    for (const used of namesIn(text)) {
      const others = users.get(used)
      if (others === undefined) users.set(used, [name])
      else others.push(name)
    }
  for (const name of changed) for (const user of users.get(name) ?? []) changed.add(user) // it grows as it is walked
  return changed
}
