/** How the processor's time of a work grows with its input, beside a linear control that is measured in turns with it: what the
 *  machine does besides slows both. Prints each curve as lines of a Markdown table. */

export interface Growth<Input> {
  /** What grows, at the head of each line of the table. */
  readonly name: string
  /** Each twice the one before; what they count is the case's own. */
  readonly sizes: readonly number[]
  /** Made once a size, and not measured. */
  readonly input: (size: number) => Input
  readonly work: (input: Input) => unknown
  /** Linear in the same input, as `JSON.stringify` of it is. */
  readonly control: (input: Input) => unknown
  /** The work's milliseconds at the largest size, on a machine that is quiet and takes `yardstickMs` for the yardstick; none without. */
  readonly maxMs?: number
}

/** What is needed of a test of `tap`. */
interface Reported {
  comment(text: string): void
  ok(value: unknown, message: string): unknown
}

/** Twice the input takes no more than this: a square takes ×4, and a linear walk beside busy neighbours has taken ×2.7. */
const maxFactor = 3
/** A sample is as many repeats as take this long: below it the clock, and a collection of garbage, decide. */
const sampleMs = 2
const rounds = 3
/** Of the milliseconds: neighbours share caches and memory with a process, and CI's machine is another one. What grew is more than that. */
const allowance = 2
/** Of a step that looks too steep: both its ends are measured anew, one after the other, so that both meet the same machine. */
const retries = 6

interface Point<Input> {
  readonly size: number
  readonly value: Input
  readonly work: number
  readonly control: number
}

/** Passes when no step of the curve costs more than ×3, or as much more as the control's own step is above ×2. Ends at the first
 *  step that does: what doubles with each level would otherwise never end. */
export async function growth<Input>(t: Reported, of: Growth<Input>): Promise<void> {
  let before: Point<Input> | null = null
  for (const size of of.sizes) {
    let point = await measured(of, size, of.input(size))
    for (let left = retries; left > 0 && !isGentle(of, before, point); left -= 1) {
      if (before !== null) before = await measured(of, before.size, before.value)
      point = await measured(of, size, point.value)
    }
    t.comment(`| ${of.name} | ${size} | ${shown(point.work)} | ${shown(point.control)} |`)
    const factor = before === null ? '' : `, ×${(point.work / before.work).toFixed(2)} of half of it`
    t.ok(isGentle(of, before, point), `${of.name}: ${size} takes ${shown(point.work)}${factor}`)
    if (!isGentle(of, before, point)) return
    before = point
  }
}

function isGentle<Input>(of: Growth<Input>, before: Point<Input> | null, point: Point<Input>): boolean {
  const isLast = point.size === of.sizes.at(-1)
  if (isLast && of.maxMs !== undefined && point.work > of.maxMs * allowance * slowness()) return false
  if (before === null) return true
  const most = maxFactor * Math.max(1, point.control / before.control / 2)
  return point.work <= before.work * most
}

/** A document, written and read again: what it takes beside the others says how slow the machine is now. */
const yardstick = Array.from({ length: 2_000 }, (_, at) => ({ id: at, name: `name ${at}`, tags: ['a', 'b'] }))
const yardstickMs = 1

/** 1, or how many times as long as on a quiet machine everything takes. */
function slowness(): number {
  const before = process.cpuUsage()
  const runs = 10
  for (let left = runs; left > 0; left -= 1) JSON.parse(JSON.stringify(yardstick))
  const { user, system } = process.cpuUsage(before)
  return Math.max(1, (user + system) / 1000 / runs / yardstickMs)
}

export interface Cost {
  readonly name: string
  readonly work: () => unknown
  /** What it is compared with, measured in turns with it. */
  readonly control: () => unknown
  /** How many times as much as the control it may cost. */
  readonly times: number
}

/** Passes when the work costs at most so many times what the control costs; measured anew some times before it fails. */
export async function costs(t: Reported, { name, work, control, times }: Cost): Promise<void> {
  const of = { name, sizes: [1], input: () => null, work, control }
  let point = await measured(of, 1, null)
  for (let left = retries; left > 0 && point.work > point.control * times; left -= 1)
    point = await measured(of, 1, null)
  t.ok(
    point.work <= point.control * times,
    `${name}: ${shown(point.work)}, at most ×${times} of ${shown(point.control)}`,
  )
}

const shown = (ms: number): string => `${ms < 10 ? ms.toFixed(3) : ms.toFixed(0)} ms`

/** The least of some rounds, in turns. */
async function measured<Input>(of: Growth<Input>, size: number, value: Input): Promise<Point<Input>> {
  const [repeats, controls] = [await repeatsFor(of.work, value), await repeatsFor(of.control, value)]
  let [work, control] = [Infinity, Infinity]
  for (let round = 0; round < rounds && (round === 0 || work <= maxSampleMs); round += 1) {
    work = Math.min(work, await cpuMs(of.work, value, repeats))
    control = Math.min(control, await cpuMs(of.control, value, controls))
  }
  return { size, value, work, control }
}

/** What takes longer is measured once a point. */
const maxSampleMs = 50

async function repeatsFor<Input>(run: (input: Input) => unknown, value: Input): Promise<number> {
  let repeats = 1
  for (;;) {
    const ms = (await cpuMs(run, value, repeats)) * repeats
    if (ms >= sampleMs || repeats >= 1_000_000) return repeats
    repeats = Math.ceil(repeats * Math.min(10, Math.max(2, sampleMs / Math.max(ms, 0.001))))
  }
}

/** Milliseconds of one run. */
async function cpuMs<Input>(run: (input: Input) => unknown, value: Input, repeats: number): Promise<number> {
  const before = process.cpuUsage()
  for (let left = repeats; left > 0; left -= 1) {
    const result = run(value)
    if (result instanceof Promise) await result
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / repeats
}
