/** The intermediate form: what the passes hand to each other. Readonly, JSON-serialisable, no optional fields
 *  (`null` for absent), so that a new field breaks every producer at compile time. Imports its room, and the types of what the
 *  runtime is told of a route and its tool. */
import type { ToolEntry } from '../../../runtime/contract/mcp.ts'
import type { FeatureUse, ToolboxUse } from './features.ts'
import type { Brief, Paging } from './paging.ts'
import type { At, Doc, NamedSchema, Schema, SymbolRef } from './schema.ts'
import type { Filter, Handler, Param, Result, StatusOf } from './steps.ts'

/** An example call of a tool: the arguments as written. */
export interface Example {
  readonly value: unknown
  readonly at: At
}

/** An argument that clients repeat in a header (`x-mcp-header`). Source: MCP 2026-07-28. */
export interface ArgumentHeader {
  readonly argument: string
  readonly header: string
}

/** What of a request the model fills in. */
export interface ToolArgument {
  readonly argument: string
  readonly param: Param
}

export interface Tool
  extends Pick<ToolEntry, 'name' | 'root' | 'title' | 'summary' | 'description' | 'hints'> {
  /** Other words for it, which `find_tools` looks up: its own, then its controller's. */
  readonly keywords: readonly string[]
  /** Its author says that a task of it may run again: no hint that a verb gives does. */
  readonly isRepeatable: boolean
  /** `@mcp show` stands at its method: `mcp.expose` may ask for that. */
  readonly isShown: boolean
  readonly arguments: readonly ToolArgument[]
  /** Required headers that no tool call carries: every call would be refused. */
  readonly missing: readonly Param[]
  /** Optional ones that its filters read and no tool call carries, though the configuration could have it do so. */
  readonly unsent: readonly Param[]
  /** What every success is; null = it may be something else, or nothing. */
  readonly output: Schema | null
  /** `@mcp header argument=Name` */
  readonly argumentHeaders: readonly ArgumentHeader[]
  readonly examples: readonly Example[]
  /** Null = not said: the names of the arguments say it. */
  readonly paging: Paging | null
  /** What it answers unless more is asked for; null = all. */
  readonly brief: Brief | null
}

/** What a prompt takes of a request: the user fills it in, as texts. */
export interface Prompt
  extends Pick<Tool, 'name' | 'title' | 'description' | 'arguments' | 'missing' | 'unsent'> {
  readonly at: At
}

/** A GET route that is read as a resource. */
export interface Resource extends Prompt {
  /** A URI or a template of URIs (RFC 6570); one that begins with a slash continues the application's address. */
  readonly uri: string
  /** Of every answer; null = not known. */
  readonly mimeType: string | null
}

/** A method that completes an argument of a prompt or a resource. */
export interface Completion {
  readonly argument: string
  /** As written: a name, or a method of the same class. */
  readonly of: string
  readonly at: At
}

/** Why a route is no tool; `other` = another route of its method is. */
export type NoTool = 'socket' | 'file' | 'events' | 'hidden' | 'other'

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** The options `T` of the runtime as tags say them; null = not said. */
export type OptionTags<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> | null }

/** What a route asks for. */
export interface ActionScope {
  /** All of these, in the order of their declaration; never empty. */
  readonly names: readonly string[]
  /** Callers that pass without a token; in this order. */
  readonly unless: readonly ('session' | 'key')[]
}

/** The name of a scope as written. */
export interface ScopeName {
  readonly name: string
  readonly at: At
}

/** A scope that `app/config.ts` declares. */
export interface DeclaredScope extends ScopeName {
  /** What it lets a client do, for people. */
  readonly text: string
  readonly implies: readonly ScopeName[]
  /** No part of `api`. */
  readonly sensitive: boolean
  /** The application says which users may have it. */
  readonly hasMayHave: boolean
}

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
  /** What a caller's token must grant (`@scope`); null = nothing. */
  readonly scope: ActionScope | null
  /** What `@mcp readOnly` says; null = nothing, and the verb decides. */
  readonly saysReadOnly: boolean | null
  /** What optional tags come to, in the order of their list. */
  readonly features: readonly FeatureUse[]
  /** Whether it identifies the caller: a filter that reads the header Authorization does, an action that reads it can do without. */
  readonly guard: 'required' | 'optional' | 'none'
  /** The content type of its success; null = negotiated, the wildcard = the response is rendered, or names its own. */
  readonly produces: string | null
  /** Whether a response may be no value of the first result: rendered by the method itself, or without a body. */
  readonly answersElse: boolean
  /** Of the method, by place. */
  readonly params: readonly Param[]
  /** What is read of a request: the parameters of the method and of its filters, each name of a place once. */
  readonly inputs: readonly Param[]
  /** Success results; the first is what the runtime sends by default. */
  readonly results: readonly Result[]
  /** Status by the class of the returned value. */
  readonly statuses: readonly StatusOf[]
  /** What `@returns {T} status` says of what it, or a filter, renders. */
  readonly rendered: readonly Result[]
  /** What `@throws` and the filters' `@returns` document; nothing at run time. */
  readonly errors: readonly Result[]
  readonly filters: readonly Filter[]
  readonly handlers: readonly Handler[]
  readonly tool: Tool | null
  readonly noTool: NoTool | null
  readonly prompt: Prompt | null
  readonly resource: Resource | null
  readonly completes: readonly Completion[]
  readonly doc: Doc
  /** Of the declaration below the doc comment. */
  readonly docAt: At
  /** Of the route's tag. */
  readonly routeAt: At
  readonly at: At
}

export interface Controller {
  readonly id: string
  readonly symbol: SymbolRef
  /** null = hidden. */
  readonly toolbox: string | null
  /** What optional tags say of the class itself. */
  readonly features: readonly ToolboxUse[]
  readonly actions: readonly Action[]
  /** Prompts and completions that have no address: only MCP clients reach them. */
  readonly mcpOnly: readonly Action[]
  /** Whether it, or an ancestor, looks at `this.access`. */
  readonly readsAccess: boolean
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
  /** Empty = the application declares none, and no route asks for one. */
  readonly scopes: readonly DeclaredScope[]
  readonly controllers: readonly Controller[]
  readonly schemas: readonly NamedSchema[]
}
