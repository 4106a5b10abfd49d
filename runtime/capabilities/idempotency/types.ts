/** Idempotency: a client that repeats a call with the key of the first gets its answer, and nothing is done twice (`@idempotencyKey`). */
// Source: decisions/http.md, Idempotency; draft-ietf-httpapi-idempotency-key-header-07.

/** What a route's `@idempotencyKey` says. */
export interface IdempotencyKeyRule {
  /** A call without a key is refused. */
  readonly required?: true
  /** All effects of the method are in one transaction of the database that acmcp lends, which marks the key (`this.idempotency.in`). */
  readonly transaction?: true
}

/** Its field in a row of `generated/routes.ts`. */
export interface IdempotencyRow {
  /** A retry with the key of the first call gets its answer (`@idempotencyKey`); absent = each call is one of its own. */
  readonly idempotencyKey?: IdempotencyKeyRule
}

/** A key of one caller at one route. */
export interface KeyRow {
  /** HMAC of caller, route and key. */
  readonly id: string
  /** HMAC of everything that the route reads. */
  readonly digest: string
}

/** A call that asks to be the one that runs. Times are milliseconds since the epoch. */
export interface NewClaim {
  /** One for each secret while they rotate, ordered by id: instances with either secret meet in one of them. They change together. */
  readonly rows: readonly KeyRow[]
  /** Random: the call that knows it has the claim. */
  readonly claim: string
  /** Whose keys are counted: the id of a user, or what stands for other credentials. */
  readonly owner: string
  /** From where they come: one client of the owner; of credentials that nothing here knows, the address. Counted too. */
  readonly source: string
  /** Of the token; null = none. Keys of a grant that is revoked are not counted. */
  readonly grant: string | null
  readonly route: string
  /** When the claim's process dies, what it did is undone unless the key was marked: another call may then claim it. */
  readonly isTransactional: boolean
  /** The sign of life of its process, which is another one each time: others compare it with what they saw, and with no clock. */
  readonly leaseUntil: number
  readonly expiresAt: number
}

/** A claim as it stands with the last sign of life of its process. */
export type Lease = Pick<NewClaim, 'claim' | 'leaseUntil'>

/** What a call came to. */
export interface KeyOutcome {
  readonly state: 'done' | 'unknown'
  /** The HTTP status of its answer; null = none is known. */
  readonly status: number | null
  /** Its answer, sealed; null = none was kept. */
  readonly sealed: string | null
}

/** A call that has the key already. Whether the process of one that runs still lives, the store does not know. */
export interface StandingKey extends KeyRow, Lease, Pick<NewClaim, 'isTransactional'> {
  readonly state: 'running' | KeyOutcome['state']
  readonly status: number | null
  readonly sealed: string | null
  readonly expiresAt: number
}

/** How much may be kept that has not expired. */
export interface KeyQuota {
  /** Keys of one owner. */
  readonly owner: number
  /** Keys of one source. */
  readonly source: number
  /** Bytes of the sealed answers of one source: with so many it gets no further key. */
  readonly sourceBytes: number
}

/** What claiming came to; `full`: the owner, or the source, has as much as it may. */
export type Claimed =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'standing'; readonly key: StandingKey }
  | { readonly kind: 'full' }

/** The rows that a claim has. */
export type HeldKey = Pick<NewClaim, 'rows' | 'claim'>

/** Keys at rest: the truth about them, whichever instance is asked. */
export interface IdempotencyStore {
  /** Of many that come at once exactly one gets `claimed`. It takes the place of a key that has expired, and of a transactional one that
   *  runs by a lease of `over`: the caller has seen that this was renewed no more. */
  claimKey(claim: NewClaim, quota: KeyQuota, over: readonly Lease[]): Promise<Claimed>
  /** False, and nothing changes, where the claim has been settled or lost. */
  settleKey(held: HeldKey, outcome: KeyOutcome): Promise<boolean>
  /** The same within a transaction of the application on the lent database: it is settled when that commits. `transaction`: a Kysely
   *  handle of that database. */
  settleKeyIn(transaction: object, held: HeldKey, outcome: KeyOutcome): Promise<boolean>
  /** Nothing was done: the key is free again. */
  releaseKey(held: HeldKey): Promise<void>
  /** A sign of life of a process for the claims that it works on; by as much later they expire. */
  renewKeys(claims: readonly string[], leaseUntil: number): Promise<void>
}

/** What becomes of a call with a key that another had before; `unknown`, `done`: there is no answer to give. */
export type KeyObservation = 'replayed' | 'reused' | 'running' | 'unknown' | 'done' | 'too_many'

/** Is told of each; ids. Does not throw. */
export type ObserveKey = (
  what: KeyObservation,
  call: { readonly route: string; readonly user: string | null; readonly client: string | null },
) => void
