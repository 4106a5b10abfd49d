/** What `read` found, before it is linked: one record a concrete class, inherited members included. Readonly,
 *  JSON-serialisable, no optional fields. */

import type { SaidByFeatures } from './features.ts'
import type { ActionScope, DeclaredScope, Model, OptionTags, ScopeName, Tool, Verb } from './model.ts'
import type { At, ClassRef, Doc, NamedSchema, Schema, SymbolRef } from './schema.ts'
import type { Match, Owner, Param } from './steps.ts'

export interface DeclaredRoute {
  readonly verb: Verb
  readonly websocket: boolean
  /** As written: `:name`, `?:name`, `*:name`. */
  readonly path: string
  readonly at: At
}

/** The methods that `only=` and `except=` of a tag name; `only: null` = all. */
export interface MethodSelector {
  readonly only: readonly string[] | null
  readonly except: readonly string[]
}

export interface DeclaredFilter extends MethodSelector {
  readonly when: 'before' | 'around' | 'after'
  readonly at: At
}

export interface DeclaredSkip extends MethodSelector {
  readonly filter: string
  /** 0 = furthest ancestor. */
  readonly depth: number
  readonly at: At
}

export interface DeclaredTls extends MethodSelector {
  readonly at: At
}

/** A tag `@scope`, of a method or a class. */
export interface ScopeTag {
  /** Empty where it says `none`. */
  readonly names: readonly ScopeName[]
  readonly isNone: boolean
  readonly unless: readonly OtherWay[]
  /** Of the class that it stands on or in; 0 = furthest ancestor. */
  readonly depth: number
  readonly at: At
}

/** A scope that code asks for by itself (`this.requireScopes`); null = the build cannot see which. */
export interface ScopeCall {
  readonly name: string | null
  readonly at: At
}

/** A word of `unless=`. */
interface OtherWay {
  readonly word: ActionScope['unless'][number]
  readonly at: At
}

export interface DeclaredException {
  readonly error: SymbolRef
  /** Where the class is declared: two of one identity are one class, however it is imported. */
  readonly identity: string
  readonly isGeneric: boolean
  /** What the literal type arguments ask of the error. */
  readonly match: Match | null
  /** The identities of the ancestors of the class, nearest first. */
  readonly bases: readonly string[]
  /** The properties that have one value in every error of this type. */
  readonly known: readonly Match[]
  /** null = none was written. */
  readonly status: number | 'default' | null
  readonly contentType: string | null
  readonly at: At
}

/** `schema: null` = the method's own return type. */
export interface DeclaredReturns {
  readonly schema: Schema | null
  /** The class by which the runtime tells the value; null = no type, or no class. */
  readonly type: SymbolRef | null
  readonly isTyped: boolean
  readonly status: number | null
  readonly text: string
}

/** `@throws` with a status, and what a filter says that it responds with. */
export interface DeclaredThrows {
  readonly status: number
  readonly schema: Schema | null
  readonly text: string
}

/** `null` = not said: the default holds. */
export interface DeclaredMcp
  extends Pick<Tool, 'title' | 'keywords' | 'argumentHeaders' | 'examples' | 'paging' | 'brief'> {
  readonly root: boolean | null
  readonly visible: boolean | null
  /** The text for the model, where it differs from the API's. */
  readonly describe: string | null
  readonly hints: OptionTags<Tool['hints']>
  /** Of the tag that says `prompt`. */
  readonly prompt: At | null
  readonly resource: DeclaredResource | null
  readonly name: DeclaredName | null
}

/** `@mcp name=greet` */
export interface DeclaredName {
  readonly text: string
  readonly at: At
}

/** `@mcp resource [uri=…]` */
export interface DeclaredResource {
  /** As written; null = that of the route. */
  readonly uri: string | null
  readonly at: At
}

/** Where a tag, or a word of `@mcp`, stands. */
export interface TagPlace {
  readonly tag: string
  readonly at: At
}

/** `@complete argument of=name` */
export interface DeclaredCompletion {
  readonly argument: string
  /** A method of the same class, or the name of a prompt or resource of any. */
  readonly of: string
  readonly at: At
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
  readonly isElicited: boolean
  /** Its type is written with an alias that is `@secret`. */
  readonly isSecret: boolean
  readonly check: Param['check']
  readonly doc: Doc
  readonly at: At
}

export interface DeclaredMethod {
  readonly name: string
  readonly owner: Owner
  /** The class whose method runs (an override's when there is one); null = no other file can name it. */
  readonly calledOn: ClassRef | null
  /** Of the class that tagged it; 0 = furthest ancestor. */
  readonly depth: number
  readonly routes: readonly DeclaredRoute[]
  readonly filter: DeclaredFilter | null
  readonly exceptions: readonly DeclaredException[]
  readonly returns: readonly DeclaredReturns[]
  readonly throws: readonly DeclaredThrows[]
  readonly produces: string | null
  readonly scopes: readonly ScopeTag[]
  readonly said: SaidByFeatures
  readonly mcp: DeclaredMcp
  readonly completes: readonly DeclaredCompletion[]
  /** What is said of a tool alone, such as `@mcp title`. */
  readonly toolTags: readonly TagPlace[]
  /** All of them, for mistakes that show later. */
  readonly tags: readonly TagPlace[]
  readonly params: readonly DeclaredParam[]
  /** Schema of the answer, without the classes of `@returns`; null = no body, or one that the method renders itself. */
  readonly result: Schema | null
  /** It returns values of which no `@returns` speaks. */
  readonly returnsMore: boolean
  readonly rendersItself: boolean
  /** Some of its answers have no body. */
  readonly answersNothing: boolean
  /** The first call in a GET route's own code whose name says that it writes. */
  readonly writes: { readonly call: string; readonly at: At } | null
  readonly doc: Doc
  /** Of the declaration below the doc comment: of an override, when that has its own. */
  readonly docAt: At
  readonly at: At
}

export interface DeclaredController {
  readonly symbol: SymbolRef
  readonly base: string | null
  readonly hidden: boolean
  /** Of each of its tools; those of its ancestors too. */
  readonly keywords: readonly string[]
  readonly skips: readonly DeclaredSkip[]
  /** `@requireTls` of the class and its ancestors. */
  readonly tls: readonly DeclaredTls[]
  /** `@scope` of the class and its ancestors, furthest first. */
  readonly scopes: readonly ScopeTag[]
  /** What the class and each ancestor says by optional tags, furthest first. */
  readonly said: readonly SaidByFeatures[]
  /** Whether it, or an ancestor, looks at `this.access`. */
  readonly readsAccess: boolean
  /** Ancestors first, then source order. */
  readonly methods: readonly DeclaredMethod[]
  readonly doc: Doc
  readonly at: At
}

/** One name of `mcp.forwardHeaders`, as written. */
export interface ForwardedHeader {
  readonly name: string
  readonly at: At
}

/** A value of `app/config.ts`, as far as it can be seen without running it. */
export type WrittenSetting =
  | { readonly kind: 'plain'; readonly value: string | number | boolean | null; readonly at: At }
  | { readonly kind: 'function' | 'unseen'; readonly at: At }
  | { readonly kind: 'list'; readonly items: readonly WrittenSetting[]; readonly at: At }
  | {
      readonly kind: 'object'
      readonly fields: readonly WrittenField[]
      /** Whether it has more that the build cannot see. */
      readonly hasMore: boolean
      readonly at: At
    }

interface WrittenField {
  readonly name: string
  readonly value: WrittenSetting
}

export interface Declared {
  /** What is given to `defineApp`; null = nothing that can be seen. */
  readonly settings: WrittenSetting | null
  /** Content types of the application's own parsers and responders. */
  readonly parsers: readonly string[]
  readonly responders: readonly string[]
  readonly scopes: readonly DeclaredScope[]
  /** Whether all of them could be read; if not, the list is incomplete. */
  readonly areScopesWhole: boolean
  readonly scopeCalls: readonly ScopeCall[]
  /** `mcp.authProbe`; null = none is written, or not as a literal. */
  readonly authProbe: string | null
  /** `mcp.path`, or what it is by default; null = what is written is no literal. */
  readonly mcpPath: string | null
  /** `mcp.forwardHeaders`, as far as they are written as literals. */
  readonly forwardHeaders: readonly ForwardedHeader[]
  readonly info: Model['info']
  readonly controllers: readonly DeclaredController[]
  readonly schemas: readonly NamedSchema[]
}
