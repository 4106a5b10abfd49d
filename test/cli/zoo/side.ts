/** What is published of a cell to those who come one way, who judges it, and how its values get there. */
import { decoderOf, ofTool, overHttp, routeOf, textsOf } from './cells.ts'
import { type Json, type Judge, judgesOf } from './judge.ts'
import type { Cell } from './places.ts'
import type { Outcome, Zoo } from './served.ts'

export interface Side {
  readonly how: 'tool' | 'http'
  readonly schema: Json
  readonly document: Json
  /** Its values travel as texts. */
  readonly isText: boolean
  /** As one JSON text. */
  readonly isJson: boolean
  readonly isRequired: boolean
  /** Some of its texts are JSON. */
  readonly hasJsonTexts: boolean
  /** A value of the schema under the names of the route. */
  readonly own: (value: unknown) => unknown
  /** Over HTTP names that the type does not declare are dropped, in a tool call they are refused. */
  readonly judge: Judge
  /** Without such names. */
  readonly closed: Judge
}

type Judges = (document: Json) => readonly ((schema: Json) => Judge)[]

const known = new WeakMap<Json, readonly ((schema: Json) => Judge)[]>()

/** Made once for each document: [open, closed]. */
const judgesIn: Judges = (document) => {
  const made = known.get(document) ?? [judgesOf(document), judgesOf(document, true)]
  known.set(document, made)
  return made
}

const texts: ReadonlySet<Cell['place']> = new Set(['query', 'path', 'header', 'form', 'upload'])

export function sidesOf(zoo: Zoo, cell: Cell): readonly Side[] {
  const tool = ofTool(zoo, cell)
  const http = overHttp(zoo, cell)
  const ofHttp = { ...http, how: 'http', own: same, document: zoo.document } as const
  const overTool = { isText: false, isJson: true, own: ownNames(zoo, cell) }
  return [
    ...(tool === null ? [] : [sideOf({ ...tool, ...overTool, how: 'tool' })]),
    sideOf({ ...ofHttp, isText: texts.has(cell.place) }),
  ]
}

/** What a method of the cell answers. */
export const answerSide = (zoo: Zoo, cell: Cell): Side =>
  sideOf({
    ...overHttp(zoo, cell),
    ...{ how: 'http', isText: false, isJson: true, isRequired: true, own: same, document: zoo.document },
  })

function sideOf(said: Omit<Side, 'judge' | 'closed' | 'hasJsonTexts'>): Side {
  const [open, closed] = judgesIn(said.document).map((make) => make(said.schema))
  if (open === undefined || closed === undefined) throw new Error('nobody judges')
  const hasJsonTexts = JSON.stringify(said.schema).includes('contentSchema')
  return { ...said, hasJsonTexts, judge: said.how === 'tool' ? closed : open, closed }
}

const same = (value: unknown): unknown => value

function ownNames(zoo: Zoo, cell: Cell): Side['own'] {
  const names = zoo.renamed.get(routeOf(cell)) ?? {}
  return Object.keys(names).length === 0 ? same : (value) => underNames(value, names)
}

function underNames(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((item) => underNames(item, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      Object.hasOwn(names, key) ? (names[key] ?? key) : key,
      underNames(item, names),
    ]),
  )
}

const missing: Outcome = { isTaken: false, why: 'it is missing' }

/** Reads a value as the route would. */
export function reader(served: Zoo, cell: Cell, side: Side): (value: unknown) => Outcome {
  const decode = decoderOf(served.codecs, cell)
  const { how, isText, isRequired, own } = side
  return (value) => {
    try {
      if (isText && value === null) return isRequired ? missing : { isTaken: true, value: null } // it is left out
      if (how === 'tool' && cell.place === 'path' && value === '') return missing
      return {
        isTaken: true,
        value: isText
          ? decode.text(textsOf(value, side, cell.place))
          : decode.json(own(value), how === 'tool'),
      }
    } catch (error) {
      return { isTaken: false, why: String(error) }
    }
  }
}

/** What an address and a header can hold: no empty segment, none that leads elsewhere, and ASCII without blanks around it. */
export function isSendable({ place }: Cell, side: Side, value: unknown): boolean {
  if (!side.isText)
    return place !== 'path' && place !== 'header'
      ? true
      : isPlainInPlace(place, textsOf(value, { ...side, isJson: true }, place))
  if (value === null) return false
  return isPlainInPlace(place, textsOf(value, side, place))
}

function isPlainInPlace(place: Cell['place'], sent: readonly string[]): boolean {
  if (place === 'path') return sent.length === 1 && !/^\.{0,2}$/.test(sent.join()) && sent.join().length < 300
  if (place === 'upload') return sent.length > 0 && sent.every((text) => !/[\r\n]/.test(text))
  return place !== 'header' || sent.every((text) => /^[!-~]([ -~]*[!-~])?$/.test(text))
}
