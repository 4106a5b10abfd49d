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
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'enum'; readonly values: readonly (string | number)[] }
  | { readonly kind: 'array'; readonly items: Schema; readonly unique: boolean }
  | { readonly kind: 'tuple'; readonly items: readonly Schema[]; readonly required: number }
  | { readonly kind: 'object'; readonly properties: readonly Property[] }
  | { readonly kind: 'union'; readonly members: readonly Schema[]; readonly discriminator: string | null }
  | { readonly kind: 'ref'; readonly name: string }
  | { readonly kind: 'record'; readonly values: Schema }
  | { readonly kind: 'unknown' }

export interface Property {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  readonly doc: Doc
}

export interface NamedSchema {
  readonly name: string
  readonly schema: Schema
  readonly doc: Doc
  readonly at: At
}

export type ParamSource = 'path' | 'query' | 'header' | 'cookie' | 'body' | 'field'

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

export interface Filter {
  readonly when: 'before' | 'around' | 'after'
  readonly member: string
  readonly params: readonly Param[]
  readonly at: At
}

export interface Handler {
  readonly error: SymbolRef
  readonly match: { readonly property: string; readonly value: string | number | boolean } | null
  readonly member: string
  readonly params: readonly Param[]
  readonly results: readonly Result[]
  /** The place of an earlier handler that fits every error of this class, so that this one never runs. */
  readonly coveredBy: At | null
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

export interface Tool {
  readonly name: string
  readonly root: boolean
  readonly title: string | null
  readonly description: string
  readonly hints: Hints
  readonly examples: readonly Example[]
}

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface Action {
  readonly id: string
  readonly method: string
  readonly verb: Verb
  readonly path: string
  readonly params: readonly Param[]
  /** Success results; the first is what the runtime sends by default. */
  readonly results: readonly Result[]
  /** What `@throws` documents; nothing at run time. */
  readonly errors: readonly Result[]
  readonly filters: readonly Filter[]
  readonly handlers: readonly Handler[]
  readonly tool: Tool | null
  readonly doc: Doc
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
  readonly controllers: readonly Controller[]
  readonly schemas: readonly NamedSchema[]
}

// What `read` found, before it is linked: one record a concrete class, inherited members included.

export interface DeclaredRoute {
  readonly verb: Verb
  readonly path: string
  readonly at: At
}

/** `only` and `except` name methods; `only: null` = all. */
export interface DeclaredScope {
  readonly only: readonly string[] | null
  readonly except: readonly string[]
}

export interface DeclaredFilter extends DeclaredScope {
  readonly when: 'before' | 'around' | 'after'
  readonly at: At
}

export interface DeclaredSkip extends DeclaredScope {
  readonly filter: string
  /** 0 = furthest ancestor. */
  readonly depth: number
  readonly at: At
}

export interface DeclaredException {
  readonly error: SymbolRef
  /** The exported ancestors of the class, nearest first. */
  readonly bases: readonly SymbolRef[]
  /** null = none was written. */
  readonly status: number | 'default' | null
  readonly contentType: string | null
  readonly at: At
}

/** `schema: null` = the method's own return type. */
export interface DeclaredReturns {
  readonly schema: Schema | null
  readonly status: number | null
  readonly text: string
}

/** `@throws` with a status. */
export interface DeclaredThrows {
  readonly status: number
  readonly text: string
}

/** `null` = not said: the default holds. */
export interface DeclaredMcp {
  readonly root: boolean | null
  readonly visible: boolean | null
  readonly title: string | null
  readonly hints: { readonly [K in keyof Hints]: boolean | null }
  readonly examples: readonly Example[]
}

export interface DeclaredParam {
  readonly name: string
  readonly wireName: string
  /** null = decided by the route (path, query or field). */
  readonly from: 'header' | 'cookie' | 'body' | null
  readonly schema: Schema
  readonly required: boolean
  readonly fallback: unknown
  readonly absent: 'undefined' | 'null'
  readonly doc: Doc
  readonly at: At
}

export interface DeclaredMethod {
  readonly name: string
  /** Of the class that tagged it; 0 = furthest ancestor. */
  readonly depth: number
  readonly routes: readonly DeclaredRoute[]
  readonly filter: DeclaredFilter | null
  readonly exceptions: readonly DeclaredException[]
  readonly returns: readonly DeclaredReturns[]
  readonly throws: readonly DeclaredThrows[]
  readonly produces: string | null
  readonly mcp: DeclaredMcp
  readonly params: readonly DeclaredParam[]
  /** Schema of the answer; null = no body, or one that the method renders itself. */
  readonly result: Schema | null
  readonly doc: Doc
  readonly at: At
}

export interface DeclaredController {
  readonly symbol: SymbolRef
  readonly base: string | null
  readonly hidden: boolean
  readonly skips: readonly DeclaredSkip[]
  /** Ancestors first, then source order. */
  readonly methods: readonly DeclaredMethod[]
  readonly doc: Doc
  readonly at: At
}

export interface Declared {
  readonly info: Model['info']
  readonly controllers: readonly DeclaredController[]
  readonly schemas: readonly NamedSchema[]
}
