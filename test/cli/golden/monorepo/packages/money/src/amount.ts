/** An amount of money. */
export interface Money {
  /** In the smallest unit. */
  readonly cents: bigint
  readonly currency: Currency
}

export type Currency = 'CHF' | 'EUR'

/** What the till throws. */
export class TillError extends Error {}
