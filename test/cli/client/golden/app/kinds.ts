import type { DateTime, Email, Float64, Int32, Int64, Url, Uuid } from 'acmcp'

/** Colours that *​/ end no comment, `nor` do \u2028 they. */
export enum Color {
  Red = 'red',
  Quoted = 'it\'s "quoted" `so` ${it} is',
}

export enum Level {
  Low = 1,
  High = 2,
}

export interface Circle {
  kind: 'circle'
  radius: number
  at: Date
}

export interface Square {
  kind: 'square'
  side: bigint
}

export type Shape = Circle | Square

/** A name that the client uses itself. */
export interface Response {
  Map: string
  'content-type': string
  "it's */ 'quoted'": number
  __proto__?: string
  constructor: string
}

export interface Client {
  map: Map<string, Date>
}

export interface Box<T> {
  value: T
  next?: Box<T> | null
}

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

export type Operations = Record<string, bigint>

/**
 * All kinds.
 *
 * @deprecated in favour of nothing
 */
export interface Kinds {
  text: string
  float: Float64
  int: Int32
  big: bigint
  int64: Int64
  isOn: boolean
  at: Date
  when: DateTime
  id: Uuid
  mail: Email
  url: Url
  home: URL
  choice: 'a' | 1 | true
  color: Color
  level: Level
  list: string[]
  dates: readonly Date[]
  set: Set<bigint>
  pair: [string, Date?]
  rest: [number, ...bigint[]]
  map: Map<string, Int64>
  record: Record<string, URL>
  bytes: Uint8Array
  buffer: Buffer
  either: Date | string | number
  shape: Shape
  untagged: { a: Date } | { b: bigint; c?: string }
  orNull: Date | null
  optional?: Date
  orUndefined: string | undefined
  holes: (Date | null | undefined)[]
  version: `v${number}`
  any: unknown
  json: Json
  anything: object
  none?: never
  box: Box<Date>
  prefixed: Record<`x-${string}`, Date>
  stamped: { id: string; [at: `at-${string}`]: Date; [n: `n-${number}`]: bigint }
  mixed: { id: number; [name: string]: number }
  node: Kinds | null
}
