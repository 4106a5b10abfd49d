/** A document as `acmcp build` writes it, cut where its entries begin, without being parsed: equal texts need no more than that.
 *  What somebody laid out otherwise is written anew first. */
import { parse } from 'yaml'

export type Blocks = ReadonlyMap<string, string>

/** The entries of a mapping whose keys stand at `indent`, with their keys, each as a mapping of one. */
export function blocksIn(text: string, indent: number): Blocks {
  return new Map(
    partsAt(text, indent).flatMap((block) => {
      const key = keyOf(block, indent)
      return key === null ? [] : [[key, block] as const]
    }),
  )
}

/** The items of a list whose dashes stand at `indent`. */
export const itemsIn = (text: string, indent: number): readonly string[] =>
  partsAt(text, indent).filter((block) => block.startsWith('- ', indent))

/** What stands below the first line. */
export const below = (block: string): string => block.slice(block.indexOf('\n') + 1)

/** What stands beside or below a key, as data. A text that is no YAML throws. */
export function fieldOf(block: string): unknown {
  const [value] = Object.values(Object(parse(block)))
  return value ?? null
}

export const itemOf = (block: string): unknown => {
  const list: unknown = parse(block)
  return Array.isArray(list) ? list[0] : null
}

/** A line that begins at `indent` begins a part; deeper ones, and empty ones, belong to the part above. */
function partsAt(text: string, indent: number): readonly string[] {
  const parts: string[] = []
  let start = -1
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const next = end < 0 ? text.length : end + 1
    const depth = depthAt(text, at, next)
    const isComment = text[at + depth] === '#'
    if (depth <= indent && !isComment && depth < next - at - 1) {
      if (start >= 0) parts.push(text.slice(start, at))
      start = depth === indent ? at : -1
    }
    at = next
  }
  if (start >= 0) parts.push(text.slice(start))
  return parts
}

function depthAt(text: string, at: number, end: number): number {
  let depth = 0
  while (at + depth < end && text[at + depth] === ' ') depth += 1
  return depth
}

function keyOf(block: string, indent: number): string | null {
  const plain = /^([^"'?#\s][^:]*):(?=\s)/.exec(block.slice(indent, indent + 1100))?.[1]
  if (plain !== undefined) return plain
  try {
    return Object.keys(Object(parse(block)))[0] ?? null
  } catch {
    return null
  }
}
