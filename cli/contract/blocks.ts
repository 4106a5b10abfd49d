/** A document as `acmcp build` writes it, cut where its entries begin, without being parsed: equal texts need no more than that.
 *  What somebody laid out otherwise is written anew first. */
import { stringify } from 'yaml'
import { parseForeign } from './foreign-yaml.ts'

export type Blocks = ReadonlyMap<string, string>

/** A text that is no document of ours; the message says why. */
export class Unreadable extends Error {}

/** In the layout that `acmcp build` writes: line breaks of one kind, entries as far in as `isLaidOut` finds them. Throws
 *  `Unreadable` where the document has none of `keys`. */
export function inOurLayout(
  text: string,
  keys: readonly string[],
  isLaidOut: (text: string) => boolean,
): string {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  if (isLaidOut(plain)) return plain
  const data: unknown = parseForeign(plain)
  const known = typeof data === 'object' && data !== null ? data : {}
  const missing = keys.filter((key) => !Object.hasOwn(known, key))
  if (missing.length > 0) throw new Unreadable(`it has no ${missing.join(' and no ')}`)
  return stringify(known, { lineWidth: 0, aliasDuplicateObjects: false })
}

/** The entries of a mapping whose keys stand at `indent`, with their keys, each as a mapping of one. */
export function blocksIn(text: string, indent: number): Blocks {
  return new Map(
    partsAt(text, indent)
      .filter((block) => !/^(?:---|\.\.\.|%YAML)/.test(block))
      .map((block) => [keyOf(block, indent), block] as const),
  )
}

/** The items of a list whose dashes stand at `indent`. */
export const itemsIn = (text: string, indent: number): readonly string[] =>
  partsAt(text, indent).filter((block) => block.startsWith('- ', indent))

/** What stands below the first line. */
export const below = (block: string): string => block.slice(block.indexOf('\n') + 1)

/** What stands beside or below a key, as data. A text that is no YAML throws. */
export function fieldUnder(block: string): unknown {
  const [value] = Object.values(Object(parseForeign(block)))
  return value ?? null
}

export const itemOf = (block: string): unknown => {
  const list: unknown = parseForeign(block)
  return Array.isArray(list) ? list[0] : null
}

/** A line that begins at `indent` begins a part; deeper ones, and empty ones, belong to the part above. */
function partsAt(text: string, indent: number): readonly string[] {
  const parts: string[] = []
  let start = -1
  // comments begin nothing
  for (const line of text.matchAll(new RegExp(`^ {0,${indent}}(?=[^ #\\n])`, 'gm'))) {
    if (start >= 0) parts.push(text.slice(start, line.index))
    start = line[0].length === indent ? line.index : -1
  }
  if (start >= 0) parts.push(text.slice(start))
  return parts
}

const longestKey = 1100

function keyOf(block: string, indent: number): string {
  const start = block.slice(indent, indent + longestKey)
  const plain = /^([^"'?#\s:-][^:\n]*|-[^\s:][^:\n]*):(?=\s)/.exec(start)?.[1]
  if (plain !== undefined) return plain
  const key = /^(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|[^"'?\n](?:[^:\n]|:(?!\s))*)(?=:\s)/.exec(start)?.[0]
  if (key === undefined)
    throw new Unreadable(`no entry begins with ${JSON.stringify(start.split('\n', 1)[0]?.slice(0, 60))}`)
  return String(parseForeign(key))
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
