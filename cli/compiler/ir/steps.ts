/** What a request passes on its way through a route: parameters, filters, handlers, results. */
import type { At, ClassRef, Doc, Schema, SymbolRef } from './schema.ts'

/** `rest` = the rest of the path; `absent` = a path variable that this address of the route leaves out. */
export type ParamSource = 'path' | 'rest' | 'query' | 'header' | 'cookie' | 'body' | 'field' | 'absent'

/** A schema of the application, as the table imports it. */
export interface SchemaCheck {
  readonly schema: SymbolRef
  /** It reads what stands for an absent value too; `unless refused` = where it refuses that, the method is passed it as it is. */
  readonly takesAbsent: boolean | 'unless refused'
}

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
  /** The user is asked for it (`Elicited<T>`). */
  readonly isElicited: boolean
  /** Its type is written with an alias that is `@secret`. */
  readonly isSecret: boolean
  /** Whose rules are run on it (`Checked<typeof schema>`). */
  readonly check: SchemaCheck | null
  readonly doc: Doc
  readonly at: At
}

export interface Result {
  /** `default` = the handler renders its own status. */
  readonly status: number | 'default'
  /** null = negotiated; of bytes and events their own. */
  readonly contentType: string | null
  /** null = no body. */
  readonly schema: Schema | null
  readonly doc: Doc
}

/** The class that tagged a method; a shipped one comes with `acmcp`. */
export interface Owner {
  readonly name: string
  readonly isShipped: boolean
}

export interface StatusOf {
  readonly type: SymbolRef
  readonly status: number
}

/** A filter or handler as the generated table calls it. */
export interface Callee {
  readonly member: string
  /** The class that tagged it. */
  readonly owner: Owner
  /** The class whose method runs, or the concrete one where no other file can name that. */
  readonly calledOn: ClassRef
}

export interface Filter extends Callee {
  readonly when: 'before' | 'around' | 'after'
  readonly params: readonly Param[]
  readonly at: At
}

/** A property of an error that must have this value. */
export interface Match {
  readonly property: string
  readonly value: string | number | boolean
}

/** A handler that runs before another one: its own class's, or that of an ancestor. */
export interface Cover {
  readonly member: string
  readonly owner: Owner
  readonly isInherited: boolean
  readonly at: At
}

export interface Handler extends Callee {
  readonly error: SymbolRef
  /** The class has type parameters, or a name that is none of a type: what an error is, its handler says. */
  readonly isGeneric: boolean
  readonly match: Match | null
  readonly params: readonly Param[]
  /** The status that the runtime sends; null = the handler renders its own. */
  readonly status: number | null
  readonly contentType: string | null
  /** What is documented. */
  readonly results: readonly Result[]
  /** What it returns; null = nothing that is JSON. */
  readonly returned: Schema | null
  /** What `@returns {T} status` says of what it renders. */
  readonly rendered: readonly Result[]
  /** An earlier handler that fits every error of this class, so that this one never runs. */
  readonly coveredBy: Cover | null
  /** The class that tagged it handles the same error already. */
  readonly isRepeated: boolean
  /** The class that tagged it; 0 = furthest ancestor. */
  readonly depth: number
  readonly at: At
}
