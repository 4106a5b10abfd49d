/** What the corpus imports and finds, for the compiler and for TypeScript alike. */

export const acmcpTypes: string = `
declare const brand: unique symbol
export type Body<T> = T & { readonly [brand]?: 'Body' }
export type Int32 = number & { readonly [brand]?: 'Int32' }
export type Int64 = bigint & { readonly [brand]?: 'Int64' }
export type Uuid = string & { readonly [brand]?: 'Uuid' }
export declare abstract class Controller {}
export interface Route { readonly [field: string]: any }
`

export const nodeTypes: string = `
interface Buffer extends Uint8Array { readonly isBuffer: true }
declare var Buffer: { from(text: string): Buffer }
`
