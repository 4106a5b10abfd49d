/** What a supervisor and its workers say to each other, and how long it takes. Loads nothing. */
import type { BuildReport } from '../../contract/build-report.ts'
import type { Level } from '../say.ts'
import type { QuestionMessage } from './question-line.ts'

export type WorkerMessage =
  /** It has loaded acmcp and nothing of the application: it waits to be told. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'say'; readonly level: Level; readonly message: string }
  /** It listens. `version` names the list of tools; `reportAddress` is where it shows what the last build said, null = nowhere. */
  | ({ readonly kind: 'ready' } & Serving)
  /** It takes no further connection. */
  | { readonly kind: 'draining' }
  /** It asks about the other workers, or answers for itself. */
  | QuestionMessage
  /** It could not start, or could not close: it waits to be killed. */
  | { readonly kind: 'failed'; readonly name: string; readonly message: string; readonly stack: string }

/** Where, and what. */
export interface Serving {
  readonly address: string
  readonly version: string
  readonly reportAddress: string | null
}

/** What a worker is to serve: the build that lies there, or nothing but the report. `report` is what the last build said, null =
 *  no build runs beside it. */
export type WorkerTask =
  | { readonly serves: 'application'; readonly report: BuildReport | null }
  | { readonly serves: 'report'; readonly report: BuildReport }

/** Its part among the workers of its supervisor. */
export interface WorkerPlace {
  /** How many there are. */
  readonly count: number
  /** Whether it does what one of them does for all: removes what has expired. */
  readonly cleans: boolean
}

export type SupervisorMessage =
  | { readonly kind: 'start'; readonly task: WorkerTask; readonly place: WorkerPlace }
  /** It is asked, as another worker has asked about all; or answered. */
  | QuestionMessage
  /** The next build has ended. */
  | { readonly kind: 'report'; readonly report: BuildReport }
  /** `successor` is the version of the one that is ready in its place, null when there is none. */
  | { readonly kind: 'stop'; readonly successor: string | null }

export type StartOrder = Extract<SupervisorMessage, { readonly kind: 'start' }>

/** The end of a worker in whose place another serves delays no client: in production its requests, and connections that wait for one, may
 *  take so long, in milliseconds. */
export const retirementMs = 60_000
