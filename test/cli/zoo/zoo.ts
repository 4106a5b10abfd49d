/** The documents and the server cannot disagree: random values of every type in every place, inside and outside of what is published,
 *  read by the decoders of the route in process, and sent through its entrances. */
import { isDeepStrictEqual } from 'node:util'
import { decoderOf } from './cells.ts'
import { Drawing, type Drawn, type Draws } from './drawn.ts'
import { parsed } from './judge.ts'
import { type Cell, places } from './places.ts'
import { refused } from './refused.ts'
import { arrived, jsonOf } from './same.ts'
import { type Outcome, openZoo, type Zoo } from './served.ts'
import { answerSide, isSendable, reader, type Side, sidesOf } from './side.ts'
import { zoo } from './types.ts'

export interface ZooReport {
  readonly types: number
  /** A type in a place. */
  readonly cells: number
  readonly inside: number
  readonly outside: number
  /** Of these, without doubles, so many were read. */
  readonly read: number
  /** Values that went through an entrance. */
  readonly calls: number
  readonly wrong: readonly string[]
  readonly catalogue: Zoo['catalogue']
}

export interface ZooSize {
  /** Inside, and so many outside, for each cell and what is published of it. */
  readonly values: number
  /** Of these, so many go through the entrances. */
  readonly calls: number
  readonly seed: number
}

const isRefused = ({ type, place }: Omit<Cell, 'name'>): boolean =>
  refused.some(([other, , where]) => other === type && where.includes(place))

/** Every type in every place that has it. */
export const zooCells: readonly Cell[] = places.flatMap((place) =>
  zoo.map(([name, type]) => ({ place, name, type })).filter((cell) => !isRefused(cell)),
)

/** Judges the application of these cells; `declared`: the types that they name. */
export async function judgeZoo(
  size: ZooSize,
  cells: readonly Cell[] = zooCells,
  declared?: string,
): Promise<ZooReport> {
  const served = await openZoo(cells, declared)
  const judge = new ZooJudge(served, size)
  try {
    for (const cell of cells)
      if (cell.place === 'answer') await judge.answers(cell)
      else await judge.requests(cell)
    const types = new Set(cells.map(({ type }) => type)).size
    return { types, cells: cells.length, catalogue: served.catalogue, ...judge.report() }
  } finally {
    await served.close()
  }
}

/** A value, and what came of it at the decoder. */
interface Case extends Drawn {
  readonly got: Outcome
}

class ZooJudge {
  readonly #zoo: Zoo
  readonly #size: ZooSize
  readonly #drawing: Drawing
  readonly #wrong = new Map<string, string>()
  #counts = { inside: 0, outside: 0, read: 0, calls: 0 }

  constructor(served: Zoo, size: ZooSize) {
    this.#zoo = served
    this.#size = size
    this.#drawing = new Drawing(size)
  }

  report(): Omit<ZooReport, 'types' | 'cells' | 'catalogue'> {
    return { ...this.#counts, wrong: [...this.#wrong].map(([where, what]) => `${where}: ${what}`) }
  }

  async requests(cell: Cell): Promise<void> {
    for (const side of sidesOf(this.#zoo, cell)) {
      const draws = this.#drawing.of(side)
      this.#count(cell, side, draws)
      const read = reader(this.#zoo, cell, side)
      const cases = draws.values.map((drawn): Case => ({ ...drawn, got: read(drawn.value) }))
      for (const one of cases) this.#read(cell, side, one)
      const sent = ['inside', 'outside'].flatMap((is) =>
        cases
          .filter((one) => one.is === is)
          .slice(0, this.#size.calls)
          .filter(({ value }) => isSendable(cell, side, value)),
      )
      if (side.how === 'tool') await this.#tools(cell, side, sent)
      else for (const one of sent) await this.#http(cell, side, one)
    }
  }

  #count(cell: Cell, { how, judge }: Side, { values, inside, outside }: Draws): void {
    const { inside: before, outside: refused, read, calls } = this.#counts
    this.#counts = {
      ...{ inside: before + inside, outside: refused + outside },
      ...{ read: read + values.length, calls },
    }
    if (inside < this.#size.values) this.#note(cell, how, `has only ${inside} values`, null)
    if (outside < Math.min(this.#size.values, 10) && !probes.every(judge))
      this.#note(cell, how, `refuses only ${outside} values`, null)
  }

  /** Names that the type does not declare are dropped over HTTP. */
  #read(cell: Cell, side: Side, one: Case): void {
    const { how, isText } = side
    if (one.is !== 'open') this.#outcome(cell, side, one, `${how} decoder`)
    else if (how === 'http' && !isText && !one.got.isTaken)
      this.#note(cell, how, `refused for a name: ${one.got.why}`, one.value)
  }

  async #tools(cell: Cell, side: Side, cases: readonly Case[]): Promise<void> {
    const outcomes = await this.#zoo.tools(
      cell,
      cases.map(({ value }) => value),
    )
    this.#counts.calls += outcomes.length
    for (const [index, got] of outcomes.entries()) {
      const one = cases[index]
      if (one !== undefined) this.#outcome(cell, side, { ...one, got }, 'tool call')
    }
  }

  async #http(cell: Cell, side: Side, { value, is }: Case): Promise<void> {
    this.#counts.calls += 2
    const got = await this.#zoo.http(cell, value, side)
    this.#outcome(cell, side, { value, is, got }, 'HTTP')
    const typed = got.isTaken && is === 'inside' ? got.value : value
    const byClient = await this.#zoo.client(cell, typed)
    if (is === 'outside') this.#outcome(cell, side, { value, is, got: byClient }, 'typed client')
    else if (!byClient.isTaken || !isDeepStrictEqual(plain(byClient.value), plain(typed)))
      this.#note(
        cell,
        'typed client',
        byClient.isTaken ? `arrived as ${JSON.stringify(jsonOf(byClient.value))}` : byClient.why,
        value,
      )
  }

  /** (a), (b), (c). */
  #outcome(cell: Cell, side: Side, { value, is, got }: Case, by: string): void {
    if (!got.isTaken) {
      if (is === 'inside') this.#note(cell, by, `refused what the schema allows: ${got.why}`, value)
      return
    }
    if (is === 'inside') {
      const isSame =
        arrived(got.value, side.own(value)) ||
        (side.hasJsonTexts && typeof value === 'string' && arrived(got.value, parsed(value)))
      if (!isSame) this.#note(cell, by, `arrived as ${JSON.stringify(jsonOf(got.value))}`, value)
      return
    }
    const read = jsonOf(got.value)
    const isOther =
      side.isText && (side.judge(read) || (side.hasJsonTexts && side.judge(JSON.stringify(read))))
    const isAbsent = side.how === 'tool' && side.judge(read) && JSON.stringify(value).includes('null') // null is absent in a tool call
    if (!isOther && !isAbsent && !(value === null && !side.isRequired))
      this.#note(cell, by, `took what the schema refuses, as ${JSON.stringify(read)}`, value)
  }

  /** (d) What a method returns is of the published schema, and the typed client has it again. */
  async answers(cell: Cell): Promise<void> {
    const side = answerSide(this.#zoo, cell)
    const { values, inside } = this.#drawing.of(side)
    const decode = decoderOf(this.#zoo.codecs, { ...cell, place: 'body' })
    this.#counts.inside += inside
    const sent = values.filter(({ is }) => is !== 'outside')
    for (const [count, drawn] of sent.entries()) {
      const value = decode.json(drawn.value)
      this.#counts.read += 1
      if (!side.judge(jsonOf(value)))
        this.#note(cell, 'answers', 'a value of the type is none of the schema', jsonOf(value))
      if (count < this.#size.calls) await this.#answer(cell, side, value)
    }
  }

  async #answer(cell: Cell, side: Side, value: unknown): Promise<void> {
    this.#counts.calls += 2
    const { status, json, read } = await this.#zoo.answer(cell, value)
    if (status !== 200 || !side.judge(json) || !isDeepStrictEqual(json, jsonOf(value)))
      this.#note(cell, 'answers', `${status} ${JSON.stringify(json)} in place of`, jsonOf(value))
    if (!isDeepStrictEqual(plain(read), plain(value)))
      this.#note(cell, 'typed client', `${JSON.stringify(jsonOf(read))} in place of`, jsonOf(value))
  }

  #note({ place, type }: Cell, by: string, what: string, value: unknown): void {
    const where = `${place}, ${type}, ${by}`
    if (!this.#wrong.has(where)) this.#wrong.set(where, `${JSON.stringify(value)} ${what}`)
  }
}

/** Who takes all these takes every JSON, but for the empty text in a path. */
const probes: readonly unknown[] = [null, true, 0.5, 'x', [], ['x', 1], {}, { a: [null] }]

/** What is the same to an application: a property that is undefined is absent, and a Buffer is bytes. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Uint8Array) return new Uint8Array(value)
  if (value instanceof Map) return new Map([...value].map(([name, item]) => [name, plain(item)]))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => (item === undefined ? [] : [[name, plain(item)]])),
  )
}
