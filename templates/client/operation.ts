/** What is known of a route: the generated file says it of each. */

/** The JSON form of a type, as far as a value must be made of it. A name = what is read as it stands, or by that class. */
export type JsonShape =
  | ('json' | 'string' | 'number' | 'boolean' | 'null' | 'never')
  | ('date' | 'bigint' | 'bytes' | 'url')
  | { readonly values: readonly (string | number | boolean)[] }
  | { readonly list: JsonShape }
  | { readonly set: JsonShape }
  | { readonly map: JsonShape }
  | { readonly record: JsonShape }
  /** null stands for `undefined`. */
  | { readonly absent: JsonShape }
  | { readonly tuple: readonly JsonShape[]; readonly required: number; readonly rest?: JsonShape }
  | {
      readonly object: Readonly<Record<string, JsonShape>>
      readonly required: readonly string[]
      readonly rest?: JsonShape
    }
  | { readonly union: readonly JsonShape[] }
  | { readonly named: string }

export type JsonShapes = Readonly<Record<string, JsonShape>>

/** What a status may come with; nothing = no body. */
export interface AnswerContent {
  readonly json?: JsonShape
  readonly events?: JsonShape
  readonly bytes?: true
  readonly text?: true
}

/** Where a parameter goes, and under which name; `list` = repeated, or one text. */
export type ParameterPlace =
  | readonly ['path' | 'query' | 'header' | 'cookie' | 'field', string]
  | readonly ['query', string, 'list']

export interface ClientOperation {
  readonly verb: string
  /** `:name` is a segment, `?:name` one that may be absent, `*:name` the rest. */
  readonly path: string
  readonly parameters?: Readonly<Record<string, ParameterPlace>>
  /** The parameter that is the whole body. */
  readonly body?: string
  /** The body is multipart/form-data. */
  readonly form?: true
  /** The media type of its success, when it is not JSON. */
  readonly accept?: string
  readonly answers: Readonly<Record<string, AnswerContent>>
}

export type ClientOperations = Readonly<Record<string, Readonly<Record<string, ClientOperation>>>>

export type CallParameters = Readonly<Record<string, unknown>>
