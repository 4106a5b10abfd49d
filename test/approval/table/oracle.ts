/** What every call must come to, from the words of templates/docs/approval.md alone: nothing of the product is asked. */

export const entrances = ['HTTP', 'tool', 'call_tool', 'batch', 'prompt', 'resource', 'task'] as const
export const capabilities = ['URL', 'form', 'neither'] as const
export const credentials = [
  'token',
  'another grant of the user',
  'session',
  'session, unless=session',
  'nobody',
  'another user',
] as const
export const decisions = [
  'none',
  'approved',
  'denied',
  'three others denied',
  'ten others wait',
  'expired before it was decided',
  'approved and expired',
  'used less than a minute ago',
  'used more than a minute ago',
] as const
export const retries = ['the same', 'one character changed'] as const

/** A first call, what is decided about it, and the call that comes after. "Another" sends only the second one. */
export interface Cell {
  readonly entrance: (typeof entrances)[number]
  readonly era: '2025-11-25' | '2026-07-28' | null
  readonly capability: (typeof capabilities)[number]
  readonly credential: (typeof credentials)[number]
  readonly decision: (typeof decisions)[number]
  readonly retry: (typeof retries)[number]
}

/** `told`: by a status or a text what waits and where. `question`: the client is to ask. */
export type Outcome = 'told' | 'question' | 'ran' | 403 | 409 | 429

export interface Played {
  readonly first: Outcome
  /** The use of the approval, before the retry; null where there is none. */
  readonly use: Outcome | null
  readonly retry: Outcome
  /** How often the method ran. */
  readonly effects: number
}

/** HTTP and batches have no capabilities, the older era has none that a request declares; tasks and batches are of one era. */
function makesSense({ entrance, era, capability }: Cell): boolean {
  if ((entrance === 'HTTP') !== (era === null)) return false
  if (entrance === 'batch' && era !== '2025-11-25') return false
  if (entrance === 'task' && era !== '2026-07-28') return false
  return era === '2026-07-28' || capability === 'neither'
}

export function cellsOf(decision: Cell['decision']): readonly Cell[] {
  const eras = ['2025-11-25', '2026-07-28', null] as const
  const all = entrances.flatMap((entrance) =>
    eras.flatMap((era) =>
      capabilities.flatMap((capability) =>
        credentials.flatMap((credential) =>
          retries.map((retry): Cell => ({ entrance, era, capability, credential, decision, retry })),
        ),
      ),
    ),
  )
  return all.filter(makesSense)
}

export function expected(cell: Cell): Played {
  const first = firstOutcome(cell)
  const isUsed = cell.decision.startsWith('used')
  const use = isUsed ? useOutcome(cell, first) : null
  const retry = retryOutcome(cell)
  const effects = [first, use, retry].filter((outcome) => outcome === 'ran').length
  return { first, use, retry, effects }
}

function firstOutcome(cell: Cell): Outcome {
  if (isNeverAsked(cell)) return neverAsked(cell)
  if (cell.decision === 'three others denied') return 403
  if (cell.decision === 'ten others wait') return 429
  return asking(cell)
}

const useOutcome = (cell: Cell, first: Outcome): Outcome => (isNeverAsked(cell) ? first : 'ran')

function retryOutcome(cell: Cell): Outcome {
  const { credential, decision, retry } = cell
  if (isNeverAsked(cell)) return neverAsked(cell)
  if (credential === 'another user') return asking(cell)
  // of the user and the client, whichever call and grant
  if (decision === 'three others denied') return 403
  if (decision === 'ten others wait') return 429
  if (credential === 'another grant of the user' || retry === 'one character changed') return asking(cell)
  switch (decision) {
    case 'approved':
      return 'ran'
    case 'denied':
      return 403
    case 'used less than a minute ago':
      return 409
    case 'none':
    case 'expired before it was decided':
    case 'approved and expired':
    case 'used more than a minute ago':
      return asking(cell)
  }
}

/** There is nobody; or the browser itself, where the tag lets it. As a tool, a session is asked all the same. */
const isNeverAsked = ({ credential, entrance }: Cell): boolean =>
  credential === 'nobody' || (credential === 'session, unless=session' && entrance === 'HTTP')

const neverAsked = ({ credential }: Cell): Outcome => (credential === 'nobody' ? 403 : 'ran')

/** Tools alone are asked again, by clients of the newer era. */
function asking({ entrance, era, capability }: Cell): Outcome {
  const isTool = entrance === 'tool' || entrance === 'call_tool' || entrance === 'task'
  return era === '2026-07-28' && isTool && capability === 'URL' ? 'question' : 'told'
}
