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
  /** The work's milliseconds at the largest size; none without. */
  readonly mostMs?: number
}

/** What is needed of a test of `tap`. */
interface Told {
  comment(text: string): void
  ok(value: unknown, message: string): unknown
}

/** Twice the input takes no more than this. */
const mostFactor = 2.5
/** A sample is as many repeats as take this long: below it the clock, and a collection of garbage, decide. */
const sampleMs = 2
const rounds = 3
/** Of a step that looks too steep: what else the machine does only adds, so the least of all is kept. */
const retries = 4

interface Point<Input> {
  readonly size: number
  readonly value: Input
  work: number
  control: number
}

/** Passes when no step of the curve costs more than ×2.5, or as much more as the control's own step is above ×2. Ends at the first
 *  step that does: what doubles with each level would otherwise never end. */
export async function growth<Input>(t: Told, of: Growth<Input>): Promise<void> {
  let before: Point<Input> | null = null
  for (const size of of.sizes) {
    const point: Point<Input> = { size, value: of.input(size), work: Infinity, control: Infinity }
    await measure(of, point)
    for (let left = retries; left > 0 && !isGentle(of, before, point); left -= 1) {
      if (before !== null) await measure(of, before)
      await measure(of, point)
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
  if (isLast && of.mostMs !== undefined && point.work > of.mostMs) return false
  if (before === null) return true
  const most = mostFactor * Math.max(1, point.control / before.control / 2)
  return point.work <= before.work * most
}

const shown = (ms: number): string => `${ms < 10 ? ms.toFixed(3) : ms.toFixed(0)} ms`

/** The least of some rounds, in turns. */
async function measure<Input>(of: Growth<Input>, point: Point<Input>): Promise<void> {
  const [work, control] = [await repeatsFor(of.work, point.value), await repeatsFor(of.control, point.value)]
  for (let round = 0; round < rounds; round += 1) {
    point.work = Math.min(point.work, await cpuMs(of.work, point.value, work))
    point.control = Math.min(point.control, await cpuMs(of.control, point.value, control))
    if (point.work > maxSampleMs) return
  }
}

/** What takes longer is measured once; more often where its step looks too steep. */
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
