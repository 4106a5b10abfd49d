/** What a walk through an application is answered with, and how two walks are compared. */

/** Who calls; `nobody` has no token. */
export type Person = 'ada' | 'eve' | 'ben' | 'root' | 'nobody'

/** One call of a walk. */
export interface Step {
  readonly who: Person
  /** Such as `tickets.show`. */
  readonly route: string
  readonly provided: Readonly<Record<string, unknown>>
  /** The status that it must be answered with. */
  readonly status: number
  /** So many events of a stream; 0 = to its end. */
  readonly take: number
}

export interface Outcome {
  readonly status: number
  readonly data: unknown
}

/** One way of calling. */
export type Wire = (step: Step) => Promise<Outcome>

/** In `fixtures/` it has the types of the client. */
export type Walk = (
  call: (
    who: Person,
    route: string,
    provided: Readonly<Record<string, unknown>>,
    status: number,
    take?: number,
  ) => Promise<unknown>,
) => Promise<void>

/** A call, and what it was answered with: plain JSON. */
export interface Seen {
  readonly who: Person
  readonly route: string
  readonly outcome: unknown
}

/** Every answer in the order of the calls, without what differs from walk to walk. Throws at a status that the walk does not expect. */
export async function walked(walk: Walk, wire: Wire): Promise<readonly Seen[]> {
  const begun = Date.now()
  const seen: { who: Person; route: string; outcome: Outcome | null }[] = []
  await walk(async (who, route, provided, status, take = 0) => {
    const entry: (typeof seen)[number] = { who, route, outcome: null }
    seen.push(entry)
    const outcome = await wire({ who, route, provided, status, take })
    entry.outcome = outcome
    if (outcome.status === status) return outcome.data
    throw new Error(`${route} of ${who} is answered with ${outcome.status}, not ${status}: ${plain(outcome)}`)
  })
  return JSON.parse(withoutChance(plain(seen), begun))
}

/** JSON in which dates and bigints are not texts; what is absent is told too. */
export const plain = (value: unknown): string =>
  JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, written: unknown) {
    const raw = this[name] // before its own toJSON
    if (raw instanceof Date) return { date: written }
    if (typeof raw === 'bigint') return { bigint: String(raw) }
    return raw === undefined ? { absent: true } : written
  })

const day = 86_400_000

/** Ids by the order in which they come, moments as far as they are known. */
function withoutChance(text: string, begun: number): string {
  const ids = new Map<string, string>()
  const isSince = (at: number): boolean => at >= begun && at <= Date.now()
  return text
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, (id) => {
      ids.set(id, ids.get(id) ?? `id ${ids.size + 1}`)
      return ids.get(id) ?? ''
    })
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (text) => {
      const at = Date.parse(text)
      if (isSince(at)) return 'now'
      return isSince(at - 14 * day) ? 'in two weeks' : text
    })
    .replace(/"token":"[\w-]{43}"/g, '"token":"a token"')
    .replace(/"worked":\{"bigint":"\d+"\}/g, '"worked":{"bigint":"milliseconds"}')
}
