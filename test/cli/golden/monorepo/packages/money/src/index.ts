export * from './amount.ts'
export type * as rates from './rates.ts'
