/** Connections of one process to PostgreSQL. */

/** How many at most, how long one is waited for, is kept unused, and works on one statement. */
export interface PoolLimits {
  readonly size: number
  readonly connectSeconds: number
  readonly idleSeconds: number
  readonly statementSeconds: number
}

export const defaultPool: PoolLimits = { size: 10, connectSeconds: 5, idleSeconds: 10, statementSeconds: 10 }
