/** What the server says of itself: `/livez` and `/readyz`, by the names of Kubernetes. Without credentials, and nothing in it is a secret. */
import type { HttpResponse } from '../../contract/http.ts'
import type { Clock } from '../../contract/store.ts'
import { jsonResponse } from '../../http/pipeline/error-handler.ts'
import type { Probe, Probes } from '../../http/probes/probes.ts'
import type { Store } from '../../store/store.ts'

export interface ReadinessOptions {
  readonly store: Pick<Store, 'isCurrent' | 'probeWrite'>
  /** Milliseconds that never go back. */
  readonly monotonic: Clock
  /** Whether it is about to end. */
  readonly isDraining: () => boolean
  /** Asks the other workers of its supervisor; null = there is none. Never rejects. */
  readonly askWorkers: (() => Promise<WorkersPulse>) | null
}

/** Workers of one supervisor. */
export interface WorkersPulse {
  /** Beside the one that asks. */
  readonly others: number
  /** Those of them that do not answer. */
  readonly silent: number
}

/** How long an answer of the store holds: however many ask, it is asked once. */
const validMs = 1_000
/** That it can be written costs more to find out. */
const writableMs = 5_000
/** The store must answer within it. */
const patienceMs = 1_000

type Status =
  | 'ready'
  | 'draining'
  | 'the store is not available'
  | 'the store is behind'
  | 'the store cannot be written'

/** `/livez`: the event loop turns. `/readyz`: requests may be sent here, for the store answers, has every migration and can be written, and the
 *  server is not about to end. 200 or 503, with the reason. With `?workers` the other workers must answer too. */
export function readinessProbes({ store, monotonic, isDraining, askWorkers }: ReadinessOptions): Probes {
  const canWrite = heldFor(monotonic, writableMs, () => store.probeWrite())
  const storeStatus = heldFor(monotonic, validMs, () => inTime(statusOf(store, canWrite)))
  const status = async (): Promise<Status> => (isDraining() ? 'draining' : storeStatus())
  const silence =
    askWorkers === null ? null : heldFor(monotonic, 0, async () => silenceOf(await askWorkers()))
  const withWorkers = (probe: Probe): Probe => {
    if (silence === null) return probe
    return async (query) => {
      const silent = query === 'workers' ? await silence() : null
      return silent === null ? probe(query) : answer(503, silent)
    }
  }
  return new Map([
    ['/livez', withWorkers(() => answer(200, 'live'))],
    [
      '/readyz',
      withWorkers(async () => {
        const is = await status()
        return answer(is === 'ready' ? 200 : 503, is)
      }),
    ],
  ])
}

/** Null = all answer. */
function silenceOf({ others, silent }: WorkersPulse): string | null {
  return silent === 0 ? null : `${silent} of ${others + 1} workers ${silent === 1 ? 'does' : 'do'} not answer`
}

const answer = (status: number, says: string): HttpResponse =>
  jsonResponse(status, { status: says }, { 'cache-control': 'no-store' })

async function statusOf(
  store: Pick<ReadinessOptions['store'], 'isCurrent'>,
  canWrite: () => Promise<void>,
): Promise<Status> {
  try {
    if (!(await store.isCurrent())) return 'the store is behind'
  } catch {
    return 'the store is not available'
  }
  return canWrite().then(
    () => 'ready',
    () => 'the store cannot be written',
  )
}

async function inTime(status: Promise<Status>): Promise<Status> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Status>((resolve) => {
    timer = setTimeout(() => resolve('the store is not available'), patienceMs).unref()
  })
  return Promise.race([status, late]).finally(() => clearTimeout(timer))
}

/** Callers that ask while it is being looked for wait for the same answer. */
function heldFor<Answer>(
  monotonic: Clock,
  heldMs: number,
  ask: () => Promise<Answer>,
): () => Promise<Answer> {
  let held: Promise<Answer> | null = null
  let until = 0
  return () => {
    if (held === null || monotonic() >= until) {
      until = Number.POSITIVE_INFINITY
      held = ask().finally(() => {
        until = monotonic() + heldMs
      })
    }
    return held
  }
}
