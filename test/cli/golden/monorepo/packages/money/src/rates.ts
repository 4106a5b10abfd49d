import type { Currency } from './amount.ts'

/** How much one unit is worth in another currency. */
export type Rates = Readonly<Record<Currency, number>>
