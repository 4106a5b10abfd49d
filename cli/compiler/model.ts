/** The intermediate form: what the passes hand to each other. Readonly, JSON-serialisable, no optional fields
 *  (`null` for absent), so that a new field breaks every producer at compile time. Imports nothing of ours. */

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
  /** A `bigint`: a decimal string in JSON; `int64` limits it to 64 bits. */
  | { readonly kind: 'bigint'; readonly int64: boolean }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'null' }
  | {
      readonly kind: 'literal'
      readonly value: string | number | boolean
      readonly enumeration: Enumeration | null
    }
  | {
      readonly kind: 'enum'
      readonly values: readonly (string | number)[]
      readonly enumeration: Enumeration | null
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
  /** A JSON Schema 2020-12 of the application's own (`@schema`): always a component. */
  | { readonly kind: 'verbatim'; readonly json: Readonly<Record<string, unknown>> }
  /** A template literal type, as TypeScript writes it. */
  | { readonly kind: 'template'; readonly pattern: string; readonly text: string }
  /** A class of JavaScript around the JSON form of `inner`. */
  | { readonly kind: 'converted'; readonly to: 'Map' | 'URL' | 'Buffer'; readonly inner: Schema }
  /** A primitive with the application's own brand, which the table imports; null = it has no exported name. */
  | { readonly kind: 'branded'; readonly inner: Schema; readonly symbol: SymbolRef | null }
  /** `inner` with further keywords of JSON Schema 2020-12, from the tags at `at`. */
  | {
      readonly kind: 'constrained'
      readonly inner: Schema
      readonly keywords: Readonly<Record<string, unknown>>
      readonly at: At
    }

/** The enum of text that values come from; `members: null` = all of it. */
export interface Enumeration {
  readonly symbol: SymbolRef
  readonly members: readonly string[] | null
}

/** An index signature: the type of the values, and whether `undefined` is one of them. */
export interface Rest {
  readonly values: Schema
  readonly orUndefined: boolean
}

/** An index signature of the names that match a pattern. */
export interface NamedRest extends Rest {
  readonly pattern: string
}

export interface Property {
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

/** `rest` = the rest of the path; `absent` = a path variable that this address of the route leaves out. */
export type ParamSource = 'path' | 'rest' | 'query' | 'header' | 'cookie' | 'body' | 'field' | 'absent'

export interface Param {
  /** The argument's name in the source. */
  readonly name: string
  /** Its public name. */
  readonly wireName: string
  readonly from: ParamSource
  readonly schema: Schema
  readonly required: boolean
  /** The default's JSON value, when it is a literal; null otherwise. */
  readonly fallback: unknown
  /** What the method is given when an optional value is absent. */
  readonly absent: 'undefined' | 'null'
  /** The type inside a wrapper takes null or undefined, the whole does not: `Body<X | null>` is an intersection. */
  readonly hidesNull: boolean
  /** The type cannot be written in another file: the table takes it from the method. */
  readonly ofMethod: boolean
  readonly doc: Doc
  readonly at: At
}

export interface Result {
  /** `default` = the handler renders its own status. */
  readonly status: number | 'default'
  readonly contentType: string | null
  /** null = no body. */
  readonly schema: Schema | null
  readonly doc: Doc
}

/** An exported class in a file of the application, or one of the public surface (`module` = `acmcp`). */
export interface SymbolRef {
  readonly module: string
  readonly name: string
}

export interface StatusOf {
  readonly type: SymbolRef
  readonly status: number
}

export interface Filter {
  readonly when: 'before' | 'around' | 'after'
  readonly member: string
  readonly params: readonly Param[]
  readonly at: At
}

/** A property of an error that must have this value. */
export interface Match {
  readonly property: string
  readonly value: string | number | boolean
}

export interface Handler {
  readonly error: SymbolRef
  /** The class has type parameters. */
  readonly isGeneric: boolean
  readonly match: Match | null
  readonly member: string
  readonly params: readonly Param[]
  /** The status that the runtime sends; null = the handler renders its own. */
  readonly status: number | null
  readonly contentType: string | null
  /** What is documented. */
  readonly results: readonly Result[]
  /** The place of an earlier handler that fits every error of this class, so that this one never runs. */
  readonly coveredBy: At | null
  /** The class that tagged it handles the same error already. */
  readonly isRepeated: boolean
  /** The class that tagged it; 0 = furthest ancestor. */
  readonly depth: number
  readonly at: At
}

export interface Hints {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

/** An example call of a tool: the arguments as written. */
export interface Example {
  readonly value: unknown
  readonly at: At
}

export interface Mirror {
  readonly argument: string
  readonly header: string
}

export interface Tool {
  readonly name: string
  readonly root: boolean
  readonly title: string | null
  readonly description: string
  readonly hints: Hints
  /** Arguments that clients mirror in a header (`x-mcp-header`). */
  readonly mirrors: readonly Mirror[]
  readonly examples: readonly Example[]
}

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface Action {
  readonly id: string
  readonly method: string
  readonly verb: Verb
  /** Segments `:name`; `*:name`, the rest, stands last. */
  readonly path: string
  /** Of a shorter address of a route with optional segments: the id of the longest one. */
  readonly shortOf: string | null
  /** The path variables that shorter addresses of this route leave out, in order. */
  readonly optional: readonly string[]
  readonly websocket: boolean
  /** Plain http is redirected (`@requireTls`). */
  readonly requiresTls: boolean
  /** Whether every answer is made by `render` and its like, so that there is nothing to negotiate. */
  readonly rendersItself: boolean
  /** Whether an answer may be no value of the first result: rendered by the method itself, or without a body. */
  readonly answersElse: boolean
  readonly params: readonly Param[]
  /** Success results; the first is what the runtime sends by default. */
  readonly results: readonly Result[]
  /** Status by the class of the returned value. */
  readonly statuses: readonly StatusOf[]
  /** What `@throws` and the filters' `@returns` document; nothing at run time. */
  readonly errors: readonly Result[]
  readonly filters: readonly Filter[]
  readonly handlers: readonly Handler[]
  readonly tool: Tool | null
  readonly doc: Doc
  /** Of the declaration below the doc comment. */
  readonly docAt: At
  readonly at: At
}

export interface Controller {
  readonly id: string
  readonly symbol: SymbolRef
  /** null = hidden. */
  readonly toolbox: string | null
  readonly actions: readonly Action[]
  readonly doc: Doc
  readonly at: At
}

export interface Model {
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly license: string | null
  }
  /** Content types that the application reads and writes beside the built-in ones. */
  readonly parsers: readonly string[]
  readonly responders: readonly string[]
  readonly controllers: readonly Controller[]
  readonly schemas: readonly NamedSchema[]
}
