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
      /** Of what has none of these names: the first pattern decides that matches, then `rest`. */
      readonly patterns?: readonly (readonly [pattern: string, shape: JsonShape])[]
      readonly rest?: JsonShape
    }
  | { readonly union: readonly JsonShape[] }
  | { readonly named: string }

/** What a status may come with; nothing = no body. */
export interface AnswerContent {
  readonly json?: JsonShape
  readonly events?: JsonShape
  readonly bytes?: true
  readonly text?: true
  /** Or there is no body. */
  readonly empty?: true
}

/** Where a parameter goes, and under which name; `list` = a list of plain texts, which is repeated; `either` = a header that holds a list
 *  or one value. */
export type ParameterPlace = readonly [
  argument: string,
  place: 'path' | 'query' | 'header' | 'cookie' | 'field',
  name: string,
  form?: 'list' | 'either',
]

/** By status; `default` = any other error. */
export type Answers = Readonly<Record<string, AnswerContent>>

export interface ClientOperation {
  readonly verb: string
  /** `:name` is a segment, `?:name` one that may be absent, `*:name` the rest. */
  readonly path: string
  readonly parameters?: readonly ParameterPlace[]
  /** The parameter that is the whole body. */
  readonly body?: string
  /** The body is a form; of the whole body these properties are lists of plain texts. */
  readonly form?: readonly string[]
  /** The form is application/x-www-form-urlencoded, not multipart/form-data. */
  readonly isUrlencoded?: true
  /** The media type of its success, when it is not JSON. */
  readonly accept?: string
  /** A person may have to approve a call first. */
  readonly approval?: true
  /** A call with the key of another gets the answer of that. */
  readonly idempotencyKey?: true
  readonly answers: Answers
  /** The answers of handlers that several routes share, by the name of their type. */
  readonly handled?: string
}

/** JSON by name. */
export type Texts = Readonly<Record<string, string>>

/** What the generated file says of all routes. */
export interface Printed {
  /** A `ClientOperation` each, by controller and action. */
  readonly operations: Readonly<Record<string, Texts>>
  /** `Answers` each. */
  readonly handled: Texts
  /** A `JsonShape` each. */
  readonly shapes: Texts
}

export type CallParameters = Readonly<Record<string, unknown>>
