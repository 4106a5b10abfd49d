/** The documents and the server cannot disagree: random values of every type in every place, inside and outside of what is published,
 *  read by the decoders of the route in process, and sent through its entrances. */
import { isDeepStrictEqual } from 'node:util'
import { decoderOf, ofTool, overHttp, routeOf, textsOf } from './cells.ts'
import { type Json, type Judge, judgesOf, parsed } from './judge.ts'
import { type Cell, places } from './places.ts'
import { refused } from './refused.ts'
import { arrived, jsonOf } from './same.ts'
import { type Outcome, openZoo, type Zoo } from './served.ts'
import { zoo } from './types.ts'
import { Values } from './values.ts'

export interface ZooReport {
  readonly types: number
  /** A type in a place. */
  readonly cells: number
  readonly inside: number
  readonly outside: number
  /** Values that went through an entrance. */
  readonly calls: number
  readonly wrong: readonly string[]
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

/** What is published of a cell to those who come one way. */
interface Side {
  readonly how: 'tool' | 'http'
  readonly schema: Json
  readonly document: Json
  /** Its values travel as texts. */
  readonly isText: boolean
  /** As one JSON text. */
  readonly isJson: boolean
  readonly isRequired: boolean
  /** A value of the schema under the names of the route. */
  readonly own: (value: unknown) => unknown
}

export async function judgeZoo({ values, calls, seed }: ZooSize): Promise<ZooReport> {
  const served = await openZoo(zooCells)
  const judge = new ZooJudge(served, { values, calls, seed })
  try {
    for (const cell of zooCells)
      if (cell.place === 'answer') await judge.answers(cell)
      else await judge.requests(cell)
    return judge.report()
  } finally {
    await served.close()
  }
}

const texts: ReadonlySet<Cell['place']> = new Set(['query', 'path', 'header', 'form', 'upload'])

class ZooJudge {
  readonly #zoo: Zoo
  readonly #size: ZooSize
  readonly #wrong = new Map<string, string>()
  readonly #values = new Map<Json, Values>()
  readonly #judges = new Map<Json, readonly ((schema: Json) => Judge)[]>()
  #inside = 0
  #outside = 0
  #calls = 0

  constructor(served: Zoo, size: ZooSize) {
    this.#zoo = served
    this.#size = size
  }

  report(): ZooReport {
    const wrong = [...this.#wrong].map(([where, what]) => `${where}: ${what}`)
    const sizes = { inside: this.#inside, outside: this.#outside, calls: this.#calls }
    return { types: zoo.length, cells: zooCells.length, ...sizes, wrong }
  }

  async requests(cell: Cell): Promise<void> {
    for (const side of this.#sidesOf(cell)) await this.#side(cell, side)
  }

  /** (d) What a method returns is of the published schema, and the typed client has it again. */
  async answers(cell: Cell): Promise<void> {
    const side: Side = {
      how: 'http',
      isText: false,
      isJson: true,
      isRequired: true,
      own: same,
      document: this.#zoo.document,
      schema: overHttp(this.#zoo, cell).schema,
    }
    const [judge] = this.#judgesOf(side)
    const decode = decoderOf(this.#zoo.codecs, { ...cell, place: 'body' })
    for (let count = 0; count < this.#size.values; count++) {
      const sent = this.#valuesOf(side.document).inside(side.schema)
      if (judge?.(sent) !== true) continue
      const value = decode.json(sent)
      this.#inside += 1
      if (judge?.(jsonOf(value)) !== true)
        this.#note(cell, 'answers', 'a value of the type is none of the schema', jsonOf(value))
      if (count >= this.#size.calls) continue
      this.#calls += 2
      const { status, json, read } = await this.#zoo.answer(cell, value)
      if (status !== 200 || judge?.(json) !== true || !isDeepStrictEqual(json, jsonOf(value)))
        this.#note(cell, 'answers', `${status} ${JSON.stringify(json)} in place of`, jsonOf(value))
      if (!isDeepStrictEqual(plain(read), plain(value)))
        this.#note(cell, 'typed client', `${JSON.stringify(jsonOf(read))} in place of`, jsonOf(value))
    }
  }

  #sidesOf(cell: Cell): readonly Side[] {
    const tool = ofTool(this.#zoo, cell)
    const http = overHttp(this.#zoo, cell)
    return [
      ...(tool === null
        ? []
        : [{ ...tool, how: 'tool' as const, isText: false, isJson: true, own: this.#ownNames(cell) }]),
      { ...http, how: 'http', own: same, isText: texts.has(cell.place), document: this.#zoo.document },
    ]
  }

  #ownNames(cell: Cell): Side['own'] {
    const names = this.#zoo.renamed.get(routeOf(cell)) ?? {}
    return Object.keys(names).length === 0 ? same : (value) => underNames(value, names)
  }

  async #side(cell: Cell, side: Side): Promise<void> {
    const [judge, closed] = this.#judgesOf(side)
    const random = this.#valuesOf(side.document)
    const read = reader(this.#zoo, cell, side)
    let [inside, outside] = [0, 0]
    const most = this.#size.values
    for (let count = 0; count < 10 * most && (inside < most || outside < most); count++) {
      const value = count % 2 === 0 ? random.inside(side.schema) : random.near(side.schema)
      if (isListText(side, value)) continue
      const isInside = judge?.(value) === true
      if (isInside && closed?.(value) !== true) this.#open(cell, side, { value, got: read(value) })
      else if (isInside ? inside >= most : outside >= most) continue
      else {
        if (isInside) inside += 1
        else outside += 1
        const isCalled = (isInside ? inside : outside) <= this.#size.calls
        await this.#value(cell, side, { value, isInside, got: read(value), isCalled })
      }
    }
    this.#inside += inside
    this.#outside += outside
    if (inside < most) this.#note(cell, side.how, `has only ${inside} values`, null)
    if (outside < Math.min(most, 10) && !takesAll.has(cell.type))
      this.#note(cell, side.how, `refuses only ${outside} values`, null)
  }

  /** With names that the type does not declare: dropped over HTTP, refused of a tool. */
  #open(
    cell: Cell,
    { how, isText }: Side,
    { value, got }: { readonly value: unknown; readonly got: Outcome },
  ): void {
    if (how === 'http' && !isText && !got.isTaken)
      this.#note(cell, how, `refused for a name: ${got.why}`, value)
  }

  async #value(
    cell: Cell,
    side: Side,
    {
      value,
      isInside,
      got,
      isCalled,
    }: {
      readonly value: unknown
      readonly isInside: boolean
      readonly got: Outcome
      readonly isCalled: boolean
    },
  ): Promise<void> {
    this.#outcome(cell, side, { value, isInside, got, by: `${side.how} decoder` })
    if (!isCalled || !isSendable(cell, side, value)) return
    if (side.how === 'tool') {
      this.#calls += 1
      this.#outcome(cell, side, { value, isInside, got: await this.#zoo.tool(cell, value), by: 'tool call' })
      return
    }
    this.#calls += 2
    this.#outcome(cell, side, {
      value,
      isInside,
      got: await this.#zoo.http(cell, value, side),
      by: 'HTTP',
    })
    const typed = got.isTaken && isInside ? got.value : value
    const byClient = await this.#zoo.client(cell, typed)
    if (!isInside) this.#outcome(cell, side, { value, isInside, got: byClient, by: 'typed client' })
    else if (!byClient.isTaken || !isDeepStrictEqual(plain(byClient.value), plain(typed)))
      this.#note(
        cell,
        'typed client',
        byClient.isTaken ? `arrived as ${JSON.stringify(jsonOf(byClient.value))}` : byClient.why,
        value,
      )
  }

  /** (a), (b), (c). */
  #outcome(
    cell: Cell,
    side: Side,
    {
      value,
      isInside,
      got,
      by,
    }: { readonly value: unknown; readonly isInside: boolean; readonly got: Outcome; readonly by: string },
  ): void {
    if (!got.isTaken) {
      if (isInside) this.#note(cell, by, `refused what the schema allows: ${got.why}`, value)
      return
    }
    if (isInside) {
      const isSame =
        arrived(got.value, side.own(value)) ||
        (isJsonInText(side.schema) && typeof value === 'string' && arrived(got.value, parsed(value)))
      if (!isSame) this.#note(cell, by, `arrived as ${JSON.stringify(jsonOf(got.value))}`, value)
      return
    }
    const read = jsonOf(got.value)
    const [judge] = this.#judgesOf(side)
    const isOther =
      side.isText &&
      (judge?.(read) === true || (isJsonInText(side.schema) && judge?.(JSON.stringify(read)) === true))
    const isAbsent = side.how === 'tool' && judge?.(read) === true && JSON.stringify(value).includes('null') // null is absent in a tool call
    if (!isOther && !isAbsent && !(value === null && !side.isRequired))
      this.#note(cell, by, `took what the schema refuses, as ${JSON.stringify(read)}`, value)
  }

  #valuesOf(document: Json): Values {
    const known = this.#values.get(document) ?? new Values(document, this.#size.seed)
    this.#values.set(document, known)
    return known
  }

  #judgesOf({ document, schema, how }: Side): readonly Judge[] {
    const makers = this.#judges.get(document) ?? [judgesOf(document), judgesOf(document, true)]
    this.#judges.set(document, makers)
    const [open, closed] = makers.map((make) => make(schema))
    return how === 'tool' && closed !== undefined
      ? [closed, closed]
      : [open, closed].flatMap((judge) => judge ?? [])
  }

  #note({ place, type }: Cell, by: string, what: string, value: unknown): void {
    const where = `${place}, ${type}, ${by}`
    if (!this.#wrong.has(where)) this.#wrong.set(where, `${JSON.stringify(value)} ${what}`)
  }
}

/** A text that is a list of JSON is that list where one may stand (`templates/docs/types.md`). */
const isListText = ({ isText, schema }: Side, value: unknown): boolean =>
  isText && typeof value === 'string' && Array.isArray(parsed(value)) && Array.isArray(schema.anyOf)

const isJsonInText = (schema: Json): boolean => JSON.stringify(schema).includes('contentSchema')

const same = (value: unknown): unknown => value

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

/** Reads a value as the route would. */
function reader(served: Zoo, cell: Cell, side: Side): (value: unknown) => Outcome {
  const decode = decoderOf(served.codecs, cell)
  const { how, isText, isRequired, own } = side
  return (value) => {
    try {
      if (isText && value === null)
        return isRequired ? { isTaken: false, why: 'it is missing' } : { isTaken: true, value: null } // it is left out
      return {
        isTaken: true,
        value: isText ? decode.text(textsOf(value, side)) : decode.json(own(value), how === 'tool'),
      }
    } catch (error) {
      return { isTaken: false, why: String(error) }
    }
  }
}

/** What an address and a header can hold: no empty segment, none that leads elsewhere, and ASCII without blanks around it. */
function isSendable({ place }: Cell, side: Side, value: unknown): boolean {
  if (!side.isText)
    return place !== 'path' && place !== 'header'
      ? true
      : isPlainInPlace(place, textsOf(value, { ...side, isJson: true }))
  if (value === null) return false
  return isPlainInPlace(place, textsOf(value, side))
}

function isPlainInPlace(place: Cell['place'], sent: readonly string[]): boolean {
  if (place === 'path') return sent.length === 1 && !/^\.{0,2}$/.test(sent.join()) && sent.join().length < 300
  if (place === 'upload') return sent.length > 0 && sent.every((text) => !/[\r\n]/.test(text))
  return place !== 'header' || sent.every((text) => /^[!-~]([ -~]*[!-~])?$/.test(text))
}

/** Types of which every JSON is a value. */
const takesAll = new Set(['unknown', 'unknown | null'])

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
