/** What every repeated call must come to, from the words of templates/docs/retries.md alone: nothing of the product is asked. */

/** How a call comes: as a request, as a tool of either revision, through `call_tool`, in a batch, as a task. */
export const entrances = [
  'HTTP',
  'tool, 2025-11-25',
  'tool, 2026-07-28',
  'call_tool, 2025-11-25',
  'call_tool, 2026-07-28',
  'batch',
  'task',
] as const
/** By whom the first and the second call come. */
export const credentials = [
  'the same token',
  'another token of the client',
  'another client of the user',
  'another user',
  'the same session',
  'a session, then a token',
  'the same API key',
  'another API key',
  'an API key, then a token',
  'nobody',
  'a token that was revoked',
  'a token without the scope',
  'a token whose scope was taken away',
  'a token that may only look',
] as const
/** What the second call has that the first had not. */
export const changes = ['nothing', 'one argument', 'another route', 'no key', 'another key'] as const
/** What the first call has come to when the second one comes. */
export const states = ['done', 'handled', 'failed', 'running', 'large', 422, 403, 428] as const
/** What happens between the calls. */
export const afters = [
  'nothing',
  '25 hours',
  'a property is secret',
  'a property is added',
  'the handler is removed',
] as const

export type Entrance = (typeof entrances)[number]
export type Credential = (typeof credentials)[number]
export type After = (typeof afters)[number]

export interface Cell {
  readonly first: Entrance
  readonly second: Entrance
  readonly credential: Credential
  readonly change: (typeof changes)[number]
  readonly state: (typeof states)[number]
  readonly after: After
}

export type Kind =
  | 'returned'
  | 'handled'
  | 'failed'
  | 'reused'
  | 'running'
  | 'done'
  | 'no caller'
  | 401
  | 403
  | 422
  | 428

/** What the second call comes to. */
export interface Outcome {
  readonly kind: Kind
  /** How often the method ran for it. */
  readonly runs: number
  /** Whether it is the answer of the first call. */
  readonly isFirst: boolean
  /** `Idempotent-Replayed`; null = no header can say so. */
  readonly isReplayed: boolean | null
  /** Names in the answer of a method, in their order; null = it is not one, or too long for a model. */
  readonly names: string | null
}

/** Whether a route with a scope is called. */
export const isGuarded = ({ credential, state }: Pick<Cell, 'credential' | 'state'>): boolean =>
  state === 403 || refusedBefore.has(credential)

const refusedBefore: ReadonlyMap<Credential, 401 | 403> = new Map([
  ['a token that was revoked', 401],
  ['a token without the scope', 403],
  ['a token whose scope was taken away', 403],
  ['a token that may only look', 403],
])

/** What a deploy or a day may change. */
const isAnswered = (state: Cell['state']): boolean => typeof state !== 'number'

const sameCaller: ReadonlySet<Credential> = new Set<Credential>([
  'the same token',
  'another token of the client',
  'the same session',
  'the same API key',
])

/** A person approves, and a scope is granted, where there is a user; the answers of nobody are those of the first call. */
function makesSense({ credential, change, state, after }: Omit<Cell, 'first' | 'second'>): boolean {
  if (state === 428) return isApprovable({ credential, after })
  if (state === 403) return credential === 'another token of the client'
  if (credential === 'nobody') return state === 'done'
  if (after === 'nothing') return true
  return isAnswered(state) && (change === 'nothing' || change === 'one argument')
}

/** All of what may matter together, over pairs of entrances that go round; then each pair of entrances for those who own a key. */
export function cellsOf(after: After): readonly Cell[] {
  const pairs = entrances.flatMap((first) => entrances.map((second) => ({ first, second })))
  const rest = credentials.flatMap((credential) =>
    changes.flatMap((change) => states.map((state) => ({ credential, change, state, after }))),
  )
  const round = rest.filter(makesSense).map((one, at) => ({ ...pairAt(pairs, at), ...one }))
  const crossed = pairs.flatMap((pair) =>
    owners.map((credential) => ({
      ...pair,
      credential,
      change: 'nothing' as const,
      state: 'done' as const,
      after,
    })),
  )
  return [...round, ...crossed]
}

const owners = ['the same token', 'the same session', 'the same API key'] as const

/** 49 of them: 5 has no divisor in common with it. */
function pairAt<Pair>(pairs: readonly Pair[], at: number): Pair {
  const pair = pairs[(at * 5) % pairs.length]
  if (pair === undefined) throw new Error('there are no entrances')
  return pair
}

/** An approval is for the route as it was shown: what a deploy makes of it is the approvals' table. */
const isApprovable = ({ credential, after }: Pick<Cell, 'credential' | 'after'>): boolean =>
  (credential === 'the same token' || credential === 'the same session') &&
  (after === 'nothing' || after === '25 hours')

export function expected(cell: Cell): Outcome {
  const refused = refusedOf(cell)
  if (refused !== null) return told(cell, refused)
  return hasRow(cell) ? repeated(cell) : ran(cell)
}

/** What comes before the key, and before the method of a call that has its own. */
function refusedOf(cell: Cell): Kind | null {
  const { credential, change, state, after } = cell
  const early = refusedBefore.get(credential)
  if (early !== undefined) return early
  if (state === 422 && change !== 'one argument') return 422
  if (credential === 'nobody' && change !== 'no key') return 'no caller'
  const isApproved = change !== 'one argument' && after !== '25 hours'
  return state === 428 && change !== 'another route' && !isApproved ? 428 : null
}

/** Whether the key of the second call stands for the first. */
const hasRow = ({ credential, change, state, after }: Cell): boolean =>
  typeof state !== 'number' &&
  sameCaller.has(credential) &&
  (change === 'nothing' || change === 'one argument') &&
  after !== '25 hours'

function repeated(cell: Cell): Outcome {
  const { change, state, after } = cell
  if (change === 'one argument') return told(cell, 'reused')
  if (state === 'running') return told(cell, 'running')
  if (state === 'large' || (state === 'handled' && after === 'the handler is removed'))
    return told(cell, 'done')
  const kind = state === 'handled' || state === 'failed' ? state : 'returned'
  const names = kind === 'returned' ? namesOf(cell, true) : null
  return { kind, runs: 0, isFirst: true, isReplayed: overHttp(cell, true), names }
}

function ran(cell: Cell): Outcome {
  const { state, after } = cell
  const kind = ranKind(state, after)
  const names = kind === 'returned' && state !== 'large' ? namesOf(cell, false) : null
  return { kind, runs: 1, isFirst: false, isReplayed: overHttp(cell, false), names }
}

function ranKind(state: Cell['state'], after: After): Kind {
  if (state === 'handled') return after === 'the handler is removed' ? 'failed' : 'handled'
  return state === 'failed' ? 'failed' : 'returned'
}

const told = (cell: Cell, kind: Kind): Outcome => ({
  ...{ kind, runs: 0, isFirst: false, names: null },
  isReplayed: overHttp(cell, false),
})

const overHttp = ({ second }: Cell, isReplayed: boolean): boolean | null =>
  second === 'HTTP' ? isReplayed : null

const byToken: ReadonlySet<Credential> = new Set<Credential>([
  'the same token',
  'another token of the client',
  'another client of the user',
  'another user',
  'a session, then a token',
  'an API key, then a token',
])

/** What is secret is for those who call over HTTP without a token of ours. What was kept before a property was added has none. */
function namesOf({ second, credential, after }: Cell, isKept: boolean): string {
  const isShown = second === 'HTTP' && !byToken.has(credential)
  const note = after === 'a property is secret' && !isShown ? [] : ['note']
  const more = after === 'a property is added' && !isKept ? ['more'] : []
  return ['id', ...note, ...(isShown ? ['pin'] : []), ...more].sort().join(' ')
}
