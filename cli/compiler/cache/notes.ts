/** What a build leaves for the next: what was read, and what was made of it. An index is read whole. All else lies in a file
 *  that grows: each build adds a part with what is new, so that controllers and schemas of which nothing changed are neither
 *  parsed nor printed nor written again. */
import { hash } from 'node:crypto'
import type { Controller } from '../ir/model.ts'
import type { NamedSchema } from '../ir/schema.ts'
import type { DeclaredController } from '../ir/source-model.ts'
import { linkedOf, relink } from '../link/controllers.ts'
import type { Reading, Unit } from '../read/read.ts'
import { type Head, lazyController, lazyNamed, textOf } from './lazy.ts'
import { type Ground, keeperNames, keptOf, type Owner, restore } from './memoize.ts'
import { createPacker, createUnpacker, type Texts } from './packed.ts'

/** Where the JSON of a controller or a schema lies in the file; the start stands for what lies there. */
type Place = readonly [start: number, length: number]

/** What one build added, by the number of bytes: the JSON of what it read, then what is kept. */
interface Part {
  readonly read: number
  readonly texts: number
  readonly kept: number
  readonly digest: string
}

interface Index extends Omit<Reading, 'units' | 'schemas'> {
  readonly parts: readonly Part[]
  readonly units: readonly UnitNote[]
  readonly schemas: readonly (readonly [name: string, place: Place, inside: readonly string[]])[]
}

interface UnitNote extends Omit<Unit, 'controllers'> {
  readonly controllers: readonly ControllerNote[]
}

interface ControllerNote extends Pick<Controller, 'id' | 'toolbox'> {
  readonly place: Place
  readonly head: Head
}

/** What this process knows of the file. */
interface Log {
  readonly parts: readonly Part[]
  readonly places: WeakMap<object, Place>
  /** What of each ground lies there. */
  readonly versions: WeakMap<Ground, number>
}

/** The file that holds a reading. */
const logs = new WeakMap<Reading, Log>()

const sizeOf = (parts: readonly Part[]): number =>
  parts.reduce((total, { read, texts, kept }) => total + read + texts + kept, 0)

/** What a build leaves, unwritten. */
export interface Notes {
  readonly index: string
  /** Where in the file `bytes` go; 0 = they are the file. */
  readonly start: number
  readonly bytes: Buffer
}

/** The notes of a build that came to `reading`; only what is new if the notes of the one `before` are still there. */
export function notesOf(reading: Reading, before: Reading | null): Notes {
  const known = before === null ? undefined : logs.get(before)
  const log = known !== undefined && isWorthwhile(known, reading) ? known : newLog()
  const start = sizeOf(log.parts)
  const read = newTexts(log, reading, start)
  const [texts, kept] = newlyKept(log, reading)
  const bytes = Buffer.concat([...read, texts, kept])
  const size = bytes.length - texts.length - kept.length
  const part = { read: size, texts: texts.length, kept: kept.length, digest: digestOf(bytes) }
  const grown = { ...log, parts: [...log.parts, part] }
  logs.set(reading, grown)
  return { index: JSON.stringify(indexOf(grown, reading)), start, bytes }
}

const newLog = (): Log => ({ parts: [], places: new WeakMap(), versions: new WeakMap() })

const mostParts = 50

/** Whether to add to the file: most of what was read lies there, and most of the file is of use. */
function isWorthwhile({ parts, places }: Log, { units, schemas }: Reading): boolean {
  const [first, ...others] = parts
  if (first === undefined || parts.length > mostParts || sizeOf(others) > sizeOf([first])) return false
  const all = [...units.flatMap(({ controllers }) => controllers), ...schemas.map(({ named }) => named)]
  return all.filter((one) => places.has(one)).length * 2 > all.length
}

type Read = DeclaredController | NamedSchema

/** What was read, and what of the model keeps something. */
const ownersOf = ({ units, schemas }: Reading): readonly (readonly [Read, Owner])[] => [
  ...units.flatMap(({ controllers }) => controllers.map((one) => [one, linkedOf(one)] as const)),
  ...schemas.map(({ named }) => [named, named] as const),
]

/** The texts that the file lacks; they get their places. */
function newTexts({ places }: Log, reading: Reading, start: number): readonly Buffer[] {
  let end = start
  return ownersOf(reading).flatMap(([one]) => {
    if (places.has(one)) return []
    const bytes = Buffer.from(textOf(one))
    places.set(one, [end, bytes.length])
    end += bytes.length
    return [bytes]
  })
}

/** What is kept, but for its texts, which lie before it. */
interface KeptNote {
  readonly lengths: Texts['lengths']
  readonly keepers: readonly string[]
  readonly contexts: readonly string[]
  /** The rows of contexts that owners have: few, for most have the same. */
  readonly rows: readonly (readonly number[])[]
  readonly owners: readonly OwnerNote[]
}

/** By the start of the owner; contexts and values stand at the places of their keepers. */
type OwnerNote = readonly [start: number, reached: readonly number[], row: number, values: unknown[]]

function newlyKept(log: Log, reading: Reading): readonly [texts: Buffer, kept: Buffer] {
  const contexts = numbering()
  const rows = numbering()
  const packer = createPacker()
  const owners = ownersOf(reading).flatMap(([one, owner]): readonly OwnerNote[] => {
    const ground = keptOf(owner)
    const [start] = log.places.get(one) ?? []
    if (ground === null || start === undefined || log.versions.get(ground) === ground.version) return []
    log.versions.set(ground, ground.version)
    const reached = ground.reached.map((schema) => log.places.get(schema)?.[0] ?? nowhere)
    const row = Array.from(ground.contexts, (text) => (text === undefined ? nowhere : contexts.of(text)))
    const values = Array.from(ground.values, (value = null) => packer.pack(value))
    return [[start, reached, rows.of(JSON.stringify(row)), values]]
  })
  const { bytes, lengths } = packer.texts()
  const note: KeptNote = {
    lengths,
    keepers: keeperNames(),
    contexts: contexts.all(),
    rows: rows.all().map((row) => JSON.parse(row)),
    owners,
  }
  return [bytes, Buffer.from(JSON.stringify(note))]
}

interface Numbering {
  readonly of: (text: string) => number
  /** By their numbers. */
  readonly all: () => readonly string[]
}

/** The same number for the same text. */
function numbering(): Numbering {
  const numbers = new Map<string, number>()
  return {
    of(text) {
      const number = numbers.get(text) ?? numbers.size
      numbers.set(text, number)
      return number
    },
    all: () => [...numbers.keys()],
  }
}

/** No place: of a schema that is gone. */
const nowhere = -1

function indexOf({ parts, places }: Log, { units, schemas, ...rest }: Reading): Index {
  const placeOf = (one: object): Place => places.get(one) ?? [nowhere, 0]
  return {
    ...rest,
    parts,
    units: units.map((unit) => ({
      ...unit,
      controllers: unit.controllers.map((one) => {
        const { id, symbol, toolbox, doc, at } = linkedOf(one)
        return { place: placeOf(one), head: { symbol, doc, at }, id, toolbox }
      }),
    })),
    schemas: schemas.map(({ named, inside }) => [named.name, placeOf(named), inside]),
  }
}

/** What was read for the build that left the notes; null when the file is not the one of the index. */
export function readingIn(index: string, file: Buffer): Reading | null {
  const { parts, units, schemas, ...rest }: Index = JSON.parse(index)
  if (!isWhole(parts, file)) return null
  const log = { ...newLog(), parts }
  const textAt =
    ([start, length]: Place) =>
    () =>
      file.toString('utf8', start, start + length)
  const reading: Reading = {
    ...rest,
    units: units.map(({ controllers, ...unit }) => ({
      ...unit,
      controllers: controllers.map(({ place, head, ...linked }) => {
        const controller = lazyController(head, textAt(place))
        relink(controller, linked)
        log.places.set(controller, place)
        return controller
      }),
    })),
    schemas: schemas.map(([name, place, inside]) => {
      const named = lazyNamed(name, textAt(place))
      log.places.set(named, place)
      return { named, inside }
    }),
  }
  logs.set(reading, log)
  waiting.set(reading, () => restoreKept(log, reading, file))
  return reading
}

/** What gives back what is kept of readings that nobody went on from yet. */
const waiting = new WeakMap<Reading, () => void>()

/** Gives back what is kept of a reading from notes: a build goes on from it. */
export function goOnFrom(reading: Reading): void {
  const restored = waiting.get(reading)
  waiting.delete(reading)
  restored?.()
}

function isWhole(parts: readonly Part[], file: Buffer): boolean {
  if (file.length !== sizeOf(parts)) return false
  return bytesOf(parts, file).every(({ part, bytes }) => digestOf(bytes) === part.digest)
}

function bytesOf(
  parts: readonly Part[],
  file: Buffer,
): readonly { readonly part: Part; readonly bytes: Buffer }[] {
  let start = 0
  return parts.map((part) => {
    const bytes = file.subarray(start, start + sizeOf([part]))
    start += bytes.length
    return { part, bytes }
  })
}

const digestOf = (bytes: Uint8Array): string => hash('sha1', bytes, 'base64')

/** The newest of each owner. */
function restoreKept({ parts, places, versions }: Log, reading: Reading, file: Buffer): void {
  const owners = new Map(ownersOf(reading).map(([one, owner]) => [places.get(one)?.[0], owner]))
  const schemas = new Map(reading.schemas.map(({ named }) => [places.get(named)?.[0], named]))
  for (const { part, bytes } of bytesOf(parts, file)) {
    const end = part.read + part.texts
    const note: KeptNote = JSON.parse(bytes.toString('utf8', end))
    const unpack = createUnpacker({ bytes: bytes.subarray(part.read, end), lengths: note.lengths })
    if (note.keepers.some((name, number) => name !== keeperNames()[number])) continue // of another order: made again
    const rows = note.rows.map((row) => row.map((one) => note.contexts[one]))
    for (const [start, starts, row, packed] of note.owners) {
      const values = packed.map(unpack)
      const owner = owners.get(start)
      const reached = starts.flatMap((one) => schemas.get(one) ?? [])
      if (owner === undefined || reached.length < starts.length) continue
      const ground = restore(owner, { reached, values, contexts: [...(rows[row] ?? [])] })
      versions.set(ground, ground.version)
    }
  }
}
