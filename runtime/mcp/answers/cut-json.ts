/** JSON cut to a length: whole items of its lists, whole entries of its maps. Only what alone is too long is cut inside. Source:
 *  reference/tool-texts.md, section 6. */
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
const mostMembers = 8

/** The value in at most `chars` of JSON; null when it cannot be cut so far. */
export function cutJson(value: unknown, chars: number, path: Path = []): CutJson | null {
  if (lengthOf(value) <= chars) return { value, cuts: [] }
  if (path.length > deepest) return null
  if (typeof value === 'string') return cutString(value, chars, path)
  if (Array.isArray(value)) return cutList(value, chars, path)
  return isObject(value) ? cutObject(value, chars, path) : null
}

const lengthOf = (value: unknown): number => JSON.stringify(value).length

function cutString(text: string, chars: number, path: Path): CutJson | null {
  const value = cutQuoted(text, chars)
  if (value === null) return null
  return { value, cuts: [{ path, kind: 'characters', shown: value.length, of: text.length }] }
}

/** Where no item fits, the first is cut itself. */
function cutList(list: readonly unknown[], chars: number, path: Path): CutJson | null {
  if (chars < 2) return null
  const value = list.slice(0, fitting(list, lengthOf, chars - 2))
  const first = value.length === 0 ? cutJson(list[0], chars - 2, [...path, 0]) : null
  const shown = first === null ? value : [first.value]
  return {
    value: shown,
    cuts: [{ path, kind: 'items', shown: shown.length, of: list.length }, ...(first?.cuts ?? [])],
  }
}

/** How many of them fit, with a comma between each two. */
function fitting<T>(all: readonly T[], length: (one: T) => number, chars: number): number {
  let left = chars + 1
  const end = all.findIndex((one) => {
    left -= length(one) + 1
    return left < 0
  })
  return end === -1 ? all.length : end
}

function cutObject(object: object, chars: number, path: Path): CutJson | null {
  const members = cutMembers(object, chars, path)
  const count = Object.keys(object).length
  const isMap = members === null || (count > mostMembers && members.cuts.length * 2 > count)
  return isMap ? (cutMap(object, chars, path) ?? members) : members
}

function cutMap(map: object, chars: number, path: Path): CutJson | null {
  const entries = Object.entries(map)
  const entryLength = ([name, value]: [string, unknown]): number => lengthOf(name) + 1 + lengthOf(value)
  const shown = fitting(entries, entryLength, chars - 2)
  if (shown === 0) return null
  return {
    value: Object.fromEntries(entries.slice(0, shown)),
    cuts: [{ path, kind: 'entries', shown, of: entries.length }],
  }
}

/** All members get an equal share, and what the short ones leave goes to the long ones. */
function cutMembers(members: object, chars: number, path: Path): CutJson | null {
  const entries = Object.entries(members)
  const names = entries.reduce((length, [name]) => length + lengthOf(name) + 2, 1)
  const shortestFirst = entries
    .map(([name, value], place) => ({ name, value: value as unknown, place, length: lengthOf(value) }))
    .sort((a, b) => a.length - b.length)
  let room = chars - names
  const made: (CutJson & { readonly name: string; readonly place: number })[] = []
  for (const [index, { name, value, place }] of shortestFirst.entries()) {
    const cut = cutJson(value, Math.floor(room / (entries.length - index)), [...path, name])
    if (cut === null) return null
    room -= lengthOf(cut.value)
    made.push({ ...cut, name, place })
  }
  const inOrder = made.sort((a, b) => a.place - b.place)
  return {
    value: Object.fromEntries(inOrder.map(({ name, value }) => [name, value])),
    cuts: inOrder.flatMap(({ cuts }) => cuts),
  }
}

/** What is missing, for the model. */
export function cutWords(cuts: readonly JsonCut[]): string {
  const told = cuts.slice(0, mostTold).map(({ path, kind, shown, of }) => {
    const at = path.length === 0 ? '' : ` of '${placeText(path)}'`
    return `${shown} of ${of} ${kind}${at} are shown.`
  })
  return [...told, ...(cuts.length > mostTold ? ['More is cut.'] : [])].join(' ')
}

const mostTold = 3

const placeText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? part : `${text}.${part}`
  }, '')
