/** JSON cut to a length: whole items of its lists, whole entries of its maps. Only what alone is too long is cut inside. Source:
 *  decisions/mcp.md, Budgets and paging. */
import { isObject } from '../protocol/constants.ts'
import { cutQuoted } from './cut-text.ts'

/** What is left of one value. */
export interface JsonCut {
  /** From the whole answer on; empty = that itself. */
  readonly path: readonly (string | number)[]
  readonly kind: 'items' | 'entries' | 'characters'
  readonly shown: number
  readonly of: number
}

/** A value that was cut, and where. */
export interface CutJson {
  readonly value: unknown
  readonly cuts: readonly JsonCut[]
}

type Path = JsonCut['path']

const deepest = 32
/** An object with more is a map if most of its entries would have to be cut. */
const maxMembers = 8

/** The value in at most `chars` of JSON; null when it cannot be cut so far. Linear: each part of it is measured once. */
export const cutJson = (value: unknown, chars: number): CutJson | null =>
  cutPart(value, chars, { path: [], lengthOf: measured(value) })

type LengthOf = (value: unknown) => number

interface CutPart extends CutJson {
  /** Characters of JSON. */
  readonly length: number
}

/** What is cut stands at `path`. */
interface Place {
  readonly path: Path
  /** Characters of JSON of what is in the whole value. */
  readonly lengthOf: LengthOf
}

const within = ({ path, lengthOf }: Place, part: string | number): Place => ({
  path: [...path, part],
  lengthOf,
})

/** Lists and objects that may be cut are measured now, what is deeper only as a part of them. */
function measured(whole: unknown): LengthOf {
  const lengths = new Map<unknown, number>()
  const measure = (value: unknown, depth: number): number => {
    if (typeof value !== 'object' || value === null || depth > deepest) return jsonLength(value)
    const parts = Array.isArray(value)
      ? value.map((item) => measure(item, depth + 1))
      : Object.entries(value).map(([name, member]) => jsonLength(name) + 1 + measure(member, depth + 1))
    const length = enclosed(parts)
    lengths.set(value, length)
    return length
  }
  measure(whole, 0)
  return (value) => lengths.get(value) ?? jsonLength(value)
}

const jsonLength = (value: unknown): number => JSON.stringify(value).length

function cutPart(value: unknown, chars: number, place: Place): CutPart | null {
  const length = place.lengthOf(value)
  if (length <= chars) return { value, cuts: [], length }
  if (place.path.length > deepest) return null
  if (typeof value === 'string') return cutString(value, chars, place)
  if (Array.isArray(value)) return cutList(value, chars, place)
  return isObject(value) ? cutObject(value, chars, place) : null
}

function cutString(text: string, chars: number, { path }: Place): CutPart | null {
  const value = cutQuoted(text, chars)
  if (value === null) return null
  const cut: JsonCut = { path, kind: 'characters', shown: value.length, of: text.length }
  return { value, cuts: [cut], length: jsonLength(value) }
}

/** Where no item fits, the first is cut itself. */
function cutList(list: readonly unknown[], chars: number, place: Place): CutPart | null {
  if (chars < 2) return null
  const { path, lengthOf } = place
  const value = list.slice(0, fitting(list, lengthOf, chars - 2))
  const first = value.length === 0 ? cutPart(list[0], chars - 2, within(place, 0)) : null
  const shown = first === null ? value : [first.value]
  const cut: JsonCut = { path, kind: 'items', shown: shown.length, of: list.length }
  const lengths = first === null ? shown.map(lengthOf) : [first.length]
  return { value: shown, cuts: [cut, ...(first?.cuts ?? [])], length: enclosed(lengths) }
}

/** Brackets around them, and a comma between each two. */
const enclosed = (lengths: readonly number[]): number =>
  lengths.length === 0 ? 2 : lengths.reduce((sum, length) => sum + length + 1, 1)

/** How many of them fit, with a comma between each two. */
function fitting<T>(all: readonly T[], length: (item: T) => number, chars: number): number {
  let left = chars + 1
  const end = all.findIndex((item) => {
    left -= length(item) + 1
    return left < 0
  })
  return end === -1 ? all.length : end
}

function cutObject(object: object, chars: number, place: Place): CutPart | null {
  const members = cutMembers(object, chars, place)
  const count = Object.keys(object).length
  const isMap = members === null || (count > maxMembers && members.cuts.length * 2 > count)
  return isMap ? (cutMap(object, chars, place) ?? members) : members
}

function cutMap(map: object, chars: number, { path, lengthOf }: Place): CutPart | null {
  const entries = Object.entries(map)
  const entryLength = ([name, value]: [string, unknown]): number => jsonLength(name) + 1 + lengthOf(value)
  const left = entries.slice(0, fitting(entries, entryLength, chars - 2))
  if (left.length === 0) return null
  const cut: JsonCut = { path, kind: 'entries', shown: left.length, of: entries.length }
  return { value: Object.fromEntries(left), cuts: [cut], length: enclosed(left.map(entryLength)) }
}

/** All members get an equal share, and what the short ones leave goes to the long ones. */
function cutMembers(members: object, chars: number, place: Place): CutPart | null {
  const entries = Object.entries(members)
  const names = entries.reduce((length, [name]) => length + jsonLength(name) + 2, 1)
  if (chars - names < entries.length) return null // each value takes one at least
  const shortestFirst = entries
    .map(([name, value], order) => ({ name, value: value as unknown, order, length: place.lengthOf(value) }))
    .sort((a, b) => a.length - b.length)
  let left = chars - names
  const made: (CutPart & { readonly name: string; readonly order: number })[] = []
  for (const [index, { name, value, order }] of shortestFirst.entries()) {
    const share = Math.floor(left / (entries.length - index))
    const cut = cutPart(value, share, within(place, name))
    if (cut === null) return null
    left -= cut.length
    made.push({ ...cut, name, order })
  }
  const inOrder = made.sort((a, b) => a.order - b.order)
  return {
    value: Object.fromEntries(inOrder.map(({ name, value }) => [name, value])),
    cuts: inOrder.flatMap(({ cuts }) => cuts),
    length: chars - left,
  }
}

/** What is missing, for the model. */
export function cutWords(cuts: readonly JsonCut[]): string {
  const described = cuts.slice(0, maxDescribed).map(({ path, kind, shown, of }) => {
    const at = path.length === 0 ? '' : ` of '${placeText(path)}'`
    return `${shown} of ${of} ${kind}${at} are shown.`
  })
  return [...described, ...(cuts.length > maxDescribed ? ['More is cut.'] : [])].join(' ')
}

const maxDescribed = 3

const placeText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? part : `${text}.${part}`
  }, '')
