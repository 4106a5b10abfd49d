// biome-ignore-all lint/suspicious/noTemplateCurlyInString: types are written so
/** The types of the zoo: each that `templates/docs/types.md` names, alone and in others. */

/** What types are made with. */
export const declarations = `export enum Color { Red = 'red', Blue = 'blue' }
export enum Level { Low = 1, High = 2 }
export enum Mixed { Zero = 0, One = 'one' }
export interface Point { x: number; y: number }
export interface Named { name: string; nick?: string }
export interface Nickname { nickname: string | null; motto?: string; age?: Int32 | null }
export interface Circle { kind: 'circle'; radius: number }
export interface Square { kind: 'square'; side: number }
export interface Card { card: string; code: string }
export interface Bank { iban: string }
export interface Node { value: Int32; next: Node | null }
export interface Tree { label: string; children: Tree[] }
export interface Base { id: Uuid; since: Date }
export interface Derived extends Base { total: Int64; tags: Set<string> }
export interface Box<T> { value: T; more?: T[] }
export class Plain { a = 1; b?: string }
export interface Envelope<T> { ok: boolean; data: T }
export interface Everything {
  count: Int32; total: Int64; at: Date; color: Color; sizes: Set<number>; labels: Map<string, string>; data: Uint8Array; home: URL
}
/** @pattern ^T-\\d+$ */
export type Ticket = string
/** @minLength 3 @maxLength 8 */
export type Short = string
/**
 * @minLength 3
 * @maxLength 8
 */
export type Word = string
/**
 * @minimum 1
 * @maximum 5
 */
export type Priority = Int32
/**
 * @exclusiveMinimum 0
 * @exclusiveMaximum 1
 */
export type Share = number
/** @multipleOf 5 */
export type Fives = Int32
/** @minItems 1 */
export type Some = string[]
/** @maxItems 2 */
export type Few = Int32[]
/** @uniqueItems true */
export type Unique = string[]
/** @minItems 2 */
export type SetOfSome = Set<Int32>
/** @maxItems 2 */
export type SetOfFew = Set<string>
/** @format hostname */
export type Host = string
/** @format email */
export type Mail = string
/** @secret */
export type Password = string
export class Money { #cents = 0; add(cents: number): void { this.#cents += cents } }
export interface Nest<T> { inner: Nest<T[]> }
export interface Order {
  /** @minLength 1 */
  name: string
  /**
   * @minimum 0
   * @maximum 10
   */
  price?: number
  /** @maxItems 3 */
  labels?: string[]
  /** @pattern ^[a-z]+$ */
  code?: string | null
}
export type UserId = string & { readonly __brand: 'UserId' }
export type Count = number & { readonly __brand: 'Count' }
export const shape = z.object({ from: z.string().min(1), size: z.number().min(1).default(1) })
export const page = z.coerce.number().default(1)
export const size = z.number().min(1).max(50)
export type Inferred = z.infer<typeof shape>
`

const scalars = [
  'string',
  'number',
  'Float64',
  'Int32',
  'bigint',
  'Int64',
  'boolean',
  'Date',
  'DateTime',
  'Uuid',
  'Email',
  'Url',
  'URL',
  'Uint8Array',
  'Buffer',
  'Color',
  'Level',
  'Mixed',
  "'only'",
  '7',
  'true',
  '1n',
  "'a' | 'b'",
  '1 | 2',
  '1n | 2n',
  "'a' | 1",
  "'1' | 1",
  "'on' | 'off' | true",
  "'a,b' | '[c' | '{\"d\"' | ''",
  '-1 | 0.5',
  'Color.Red',
  '`v${number}`',
  '`${string}-${string}`',
  '`${number}px`',
  "`${'a' | 'b'}-${boolean}`",
  'Uppercase<string>',
  'UserId',
  'Count',
  'Ticket',
  'Word',
  'Priority',
  'Share',
  'Share | { readonly a: string }',
  'Fives',
  'Host',
  'Mail',
  'Password',
] as const

const lists = [
  'string[]',
  'readonly number[]',
  'Int32[]',
  'bigint[]',
  'boolean[]',
  'Date[]',
  'Uuid[]',
  'URL[]',
  'Uint8Array[]',
  'Color[]',
  "('a' | 'b')[]",
  '`v${number}`[]',
  'string[][]',
  'Int32[][]',
  'Point[]',
  'unknown[]',
  '(number | string)[]',
  '(string | null)[]',
  '(Int32 | null)[]',
  '(Date | null)[]',
  '(boolean | string)[]',
  '(Point | null)[]',
  "(Point | 'none')[]",
  'Array<[string, Int32]>',
  'Record<string, Int32>[]',
  'ReadonlyArray<Circle | Square>',
  'Set<string>',
  'Set<Int32>',
  'Set<bigint>',
  'ReadonlySet<Color>',
  'Set<Date>',
  'Set<Point>',
  'Some',
  'Few',
  'Unique',
  'SetOfSome',
  'SetOfFew',
  'Ticket[]',
] as const

const tuples = [
  '[number, number]',
  '[string, Int32]',
  '[string, Int32?]',
  '[string, ...Int32[]]',
  '[Date, bigint]',
  '[Point, Color]',
  '[]',
  '[string | null, boolean]',
  '[unknown]',
  'readonly [Int32, string]',
  '[[Int32, Int32], string]',
] as const

const objects = [
  'Point',
  'Named',
  'Nickname',
  '{ color: string }',
  '{ a?: string }',
  '{ at: Date; big: bigint; data: Uint8Array; home: URL }',
  '{ in: { deep: { value: Int32 } } }',
  '{ list: Int32[]; pair: [string, boolean] }',
  "{ 'a b': string; \"it's\": Int32; constructor: string }",
  'Partial<Point>',
  'Required<Named>',
  "Pick<Everything, 'at' | 'color'>",
  "Omit<Everything, 'data' | 'home' | 'labels'>",
  'Everything',
  'Derived',
  'Point & { z: Int32 }',
  'Base & Named',
  'Box<Int32>',
  'Box<Date>',
  'Box<Point>',
  'Box<Box<string>>',
  'Envelope<string[]>',
  'Envelope<undefined>',
  'Envelope<void>',
  '{ gone?: undefined; id: Int32 }',
  '{ deleted?: void; id: Int32 }',
  'Plain',
  'Node',
  'Tree',
  'Order',
  'Inferred',
  'Record<string, Int32>',
  'Record<string, Date>',
  'Record<string, string[]>',
  'Record<string, unknown>',
  "Record<'a' | 'b', Int32>",
  'Partial<Record<Color, Int32>>',
  'Record<`x-${string}`, string>',
  'Map<string, Int32>',
  'Map<string, Point>',
  'Map<string, Date>',
  'ReadonlyMap<string, bigint>',
  'Map<string, Map<string, Int32>>',
  '{ id: string; [name: string]: unknown }',
  '{ id: Int32; [name: `x-${string}`]: Int32 }',
  '{ [name: `at-${string}`]: Date }',
  '{ secret: Password; user: string }',
  '{ a: Int32 | undefined; b: string | null | undefined }',
  'object',
  'unknown',
] as const

const unions = [
  'string | null',
  'Int32 | null',
  'Date | null',
  'boolean | null',
  'Color | null',
  'Point | null',
  'string[] | null',
  'bigint | null',
  'unknown | null',
  "'a' | 'b' | null",
  'string | number',
  "Int32 | 'all'",
  "number | 'all'",
  'boolean | string',
  'boolean | number',
  "boolean | 'auto'",
  'string | bigint',
  'string | Date',
  "Date | 'now'",
  'Date | Int32',
  'Uuid | Int32',
  'string | string[]',
  'Int32 | Int32[]',
  "'a' | 'b' | ('a' | 'b')[]",
  'Date | Date[]',
  'string[] | Int32[]',
  'Int32[] | boolean',
  "'now' | Point",
  'Date | Point',
  'string | Point',
  'Int32 | Point',
  'string | Record<string, Int32>',
  'string | [Int32, Int32]',
  'boolean | Point[]',
  'Circle | Square',
  'Circle | Square | null',
  '(Circle | Square)[]',
  '{ shape: Circle | Square }',
  'Card | Bank',
  'Point | Named',
  '{ ok: true; value: Int32 } | { ok: false; error: string }',
  '{ version: 1; a: string } | { version: 2; b: Int32 }',
  "{ t: 'a' | 'b'; x: Int32 } | { t: 'c'; y: string }",
  'Point | Int32[]',
  'Uint8Array | null',
  'URL | null',
  'Set<string> | null',
  'Map<string, Int32> | null',
  'unknown[] | null',
  '`v${number}` | Int32',
] as const

/** Every type that can be a value, with its name in the application. */
export const zoo: readonly (readonly [name: string, type: string])[] = [
  ...scalars,
  ...lists,
  ...tuples,
  ...objects,
  ...unions,
].map((type, place) => [`T${place}`, type])
