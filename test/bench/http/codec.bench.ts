/** What decoders cost beside JSON itself, and what the JSON of an answer costs:
 *  `npm run bench:codec [runs]`; `toJsonText` is what answers cost that no type narrows. Nanoseconds of CPU per value, the least of interleaved rounds; a text counts
 *  when it has been copied to a buffer, for only then is it one piece. */
import { compile } from '../../../cli/compiler/compile.ts'
import { declaredJson } from '../../../runtime/http/output/declared-json.ts'
import { toJsonText } from '../../../runtime/http/output/json-text.ts'
import { loadCodecs } from '../../cli/codecs/printed.ts'
import { memoryHost } from '../../cli/support/memory-host.ts'

const controller = `import { type Body, Controller, type Int32 } from 'acmcp'
export interface Note { id: string; title: string; text: string; tags: string[]; createdAt: string; pinned: boolean }
export interface Line { sku: string; quantity: Int32; price: number; options: { size: 'S' | 'M' | 'L'; gift?: boolean }[] }
export interface Order {
  id: string
  customer: { name: string; mail: string | null; address: { street: string; city: string; zip: string } }
  lines: Line[]
  payment: { kind: 'card'; last4: string } | { kind: 'invoice'; days: Int32 }
  totals: Record<string, number>
}
export interface Event { id: bigint; at: Date; labels: Map<string, string>; seen: Set<string>; data: Uint8Array }
export interface Row {
  id: Int32
  name: string
  mail: string
  at: Date
  price: number
  count: Int32
  open: boolean
  note: string | null
  tag: string
  total: number
}
/** Things. */
export class Things extends Controller {
  /**
   * Keeps a note.
   *
   * @post /note
   */
  note(value: Body<Note>): Note { return value }
  /**
   * Keeps an order.
   *
   * @post /order
   */
  order(value: Body<Order>): Order { return value }
  /**
   * Keeps an event.
   *
   * @post /event
   */
  event(value: Body<Event>): Event { return value }
  /**
   * Keeps rows.
   *
   * @post /rows
   */
  rows(value: Body<Row[]>): Row[] { return value }
}
`

const { codecs } = compile(memoryHost({ 'app/controllers/things.ts': controller }))
const printed = await loadCodecs(codecs)

const line = (index: number): object => ({
  sku: `A-${index}`,
  quantity: index + 1,
  price: 2.5 * index,
  options: [{ size: 'M', gift: index % 2 === 0 }, { size: 'L' }],
})

const row = (id: number): object => ({
  id,
  name: `name ${id}`,
  mail: `m${id}@example.org`,
  at: '2026-07-28T12:00:00.000Z',
  price: id / 3,
  count: id,
  open: id % 2 === 0,
  note: id % 3 === 0 ? null : 'a note',
  tag: 'x',
  total: id * 2,
})

const samples: Readonly<Record<string, unknown>> = {
  note: {
    id: 'note_0123456789',
    title: 'Shopping',
    text: 'milk, bread and a fresh newspaper',
    tags: ['home', 'list'],
    createdAt: '2026-07-28T12:00:00.000Z',
    pinned: false,
  },
  order: {
    id: 'order_0123456789',
    customer: {
      name: 'Ada Lovelace',
      mail: null,
      address: { street: '1 High Street', city: 'Bath', zip: 'BA1' },
    },
    lines: Array.from({ length: 10 }, (_, index) => line(index)),
    payment: { kind: 'card', last4: '4242' },
    totals: { net: 100.5, tax: 20.1, gross: 120.6 },
  },
  event: {
    id: '9007199254740993',
    at: '2026-07-28T12:00:00.000Z',
    labels: { env: 'test', region: 'eu' },
    seen: ['a', 'b', 'c'],
    data: 'bWlsaywgYnJlYWQ=',
  },
  rows: Array.from({ length: 1000 }, (_, index) => row(index)),
}

const wide = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(wide) : { ...(value as object), passwordHash: 'x' } // all samples are objects or lists

const buffer = Buffer.alloc(1_000_000)

/** Keeps the optimiser from leaving the work out. */
let kept: unknown = null

function waysFor(name: string): Readonly<Record<string, () => void>> {
  const sent = samples[name]
  const text = JSON.stringify(sent)
  const { params, answers } = printed[`things_${name}`] ?? {}
  const decoder = params?.[0]?.codec
  const [type = { kind: 'whole' } as const] = answers?.returned.values() ?? []
  const omission = { undeclared: true, withheld: false, secrets: false, hidden: false }
  const value = decoder?.fromJson(sent, '')
  const wider = wide(value)
  const copied = (json: string): void => {
    kept = buffer.write(json)
  }
  return {
    'JSON.parse': () => {
      kept = JSON.parse(text)
    },
    decode: () => {
      kept = decoder?.fromJson(sent, '')
    },
    'JSON.stringify (of what was sent)': () => copied(JSON.stringify(sent)),
    'toJsonText (of what was read)': () => copied(toJsonText(value)),
    'declaredJson (of what was read)': () => copied(declaredJson(value, type, omission)),
    'declaredJson (of what is wider)': () => copied(declaredJson(wider, type, omission)),
  }
}

function nanoseconds(way: () => void, count: number): number {
  const start = process.cpuUsage()
  for (let run = 0; run < count; run++) way()
  const { user, system } = process.cpuUsage(start)
  return ((user + system) * 1000) / count
}

const rounds = 7
const runs = Number(process.argv[2] ?? 40_000)
for (const name of Object.keys(samples)) {
  const ways = Object.entries(waysFor(name))
  const least = new Map(ways.map(([way]) => [way, Number.POSITIVE_INFINITY]))
  for (let round = 0; round < rounds; round++) {
    for (const [way, run] of ways)
      least.set(
        way,
        Math.min(least.get(way) ?? 0, nanoseconds(run, Math.ceil(runs / (name === 'rows' ? 1000 : 1)))),
      )
  }
  for (const [way, time] of least) console.log(`${name}: ${way}: ${time.toFixed(0)} ns`)
}
if (kept === undefined) process.exitCode = 1
