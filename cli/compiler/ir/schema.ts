/** The types of an application's data, and what every record of the model carries: its text and its place. Readonly,
 *  JSON-serialisable, no optional fields (`null` for absent). Imports nothing of ours. */

/** A place in the application's sources: relative file with forward slashes, line and column from 1. */
export interface At {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A doc comment: first line, whole text when it has more than one line, flags. */
export interface Doc {
  readonly summary: string
  readonly description: string
  readonly deprecated: boolean
  readonly examples: readonly unknown[]
}

export type Schema =
  | { readonly kind: 'string'; readonly format: string | null; readonly pattern: string | null }
  | { readonly kind: 'date' }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'integer'; readonly format: 'int32' | null }
  /** A `bigint`: a decimal string in JSON; `int64` limits it to 64 bits, and `values` to literals; null = any. */
  | { readonly kind: 'bigint'; readonly int64: boolean; readonly values: readonly string[] | null }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'null' }
  /** `ofEnum`: the values are those of an exported enum of text, which stay apart from others and in their order. */
  | {
      readonly kind: 'literal'
      readonly value: string | number | boolean
      readonly ofEnum: boolean
    }
  | {
      readonly kind: 'enum'
      readonly values: readonly (string | number)[]
      readonly ofEnum: boolean
    }
  | { readonly kind: 'array'; readonly items: Schema; readonly unique: boolean }
  | {
      readonly kind: 'tuple'
      readonly items: readonly Schema[]
      readonly required: number
      /** What may follow the items; null = nothing. */
      readonly rest: Schema | null
    }
  | {
      readonly kind: 'object'
      readonly properties: readonly Property[]
      /** An index signature beside the properties; null = none, and further properties are dropped. */
      readonly rest: Rest | null
      /** Index signatures of some names only: what matches none of them is `rest`. */
      readonly named: readonly NamedRest[]
      /** The names that are in no answer (`@Exclude()`), whatever else speaks of them. */
      readonly withheld: readonly string[]
    }
  | { readonly kind: 'union'; readonly members: readonly Schema[]; readonly discriminator: string | null }
  | { readonly kind: 'ref'; readonly name: string }
  | { readonly kind: 'record'; readonly values: Schema }
  /** An uploaded file: a parameter only. */
  | { readonly kind: 'file' }
  /** Bytes that are sent as they are (a stream, a Blob): an answer only. */
  // the wildcard: the value names its own type
  | { readonly kind: 'binary'; readonly type: 'application/octet-stream' | '*/*' }
  /** A stream of events (`AsyncIterable<T>`): an answer only. */
  | { readonly kind: 'events'; readonly items: Schema }
  | { readonly kind: 'unknown' }
  /** No value at all: what must be absent, such as `b?: never`. */
  | { readonly kind: 'never' }
  /** A template literal type, as TypeScript writes it. */
  | { readonly kind: 'template'; readonly pattern: string; readonly text: string }
  /** A class of JavaScript around the JSON form of `inner`; `undefined` = what is null in JSON, in a list. */
  | {
      readonly kind: 'converted'
      readonly to: 'Map' | 'URL' | 'Buffer' | 'undefined'
      readonly inner: Schema
    }
  /** `inner` with further keywords of JSON Schema 2020-12, from the tags at `at`. */
  | {
      readonly kind: 'constrained'
      readonly inner: Schema
      readonly keywords: Readonly<Record<string, unknown>>
      readonly at: At
    }

/** An index signature: the type of the values, and whether `undefined` is one of them. */
export interface Rest {
  readonly values: Schema
  readonly orUndefined: boolean
}

/** An index signature of the names that match a pattern. */
export interface NamedRest extends Rest {
  readonly pattern: string
  /** These names as a type: `` `at-${string}` ``. */
  readonly key: string
}

/** What `@secret`, `@untrusted` and decorators of other libraries say of a value. */
export interface Marks {
  /** No answer to delegated credentials holds it. */
  readonly isSecret: boolean
  /** Text that others wrote: a model must not take it for instructions. */
  readonly isUntrusted: boolean
  /** It is taken, and no answer holds it, for any caller (`@Exclude({ toPlainOnly: true })`). */
  readonly isWriteOnly: boolean
}

export interface Property extends Marks {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  /** Not required, but because the type has `undefined`, not because the property is optional. */
  readonly orUndefined: boolean
  readonly doc: Doc
}

export interface NamedSchema {
  readonly name: string
  readonly schema: Schema
  readonly doc: Doc
  readonly at: At
}

/** An exported class in a file of the application, or one of the public surface (`module` = `acmcp`), or of another package
 *  (`module` = `package:` and what the application imports, or `default:` where the first name is its default export). In `name` the
 *  namespaces around it stand before it, each with a dot. */
export interface SymbolRef {
  readonly module: string
  readonly name: string
}

/** A class whose type another file names. */
export interface ClassRef extends SymbolRef {
  /** How many type parameters it has. */
  readonly arity: number
}
