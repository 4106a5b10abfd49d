/** Tools as the build describes them, and what a route can do with the MCP client that calls it. */
import type { HttpRequest } from './http.ts'
import type { ParamSource } from './route.ts'

/** What a controller can do with the MCP client whose tool call it answers. See templates/docs/mcp.md. */
// Source: language.md, Controllers at run time.
export interface McpCall {
  /** What the client calls itself, or null: the `initialize` revisions tell it once, and nothing is kept. */
  readonly clientName: string | null
  /** Aborted when the client cancels: in revision 2026-07-28 it does so by going away. */
  readonly signal: AbortSignal
  /** What the `InputRequired` that this call answers carried; null in a first call. */
  readonly state: unknown
  /** Tells how far the work is, if the client asked; values that do not grow are left out. */
  progress(done: number, total?: number, message?: string): void
  /** Ends the call unless the client declared the capability. */
  requireCapability(name: string): void
  /** The client's answer to one request of `InputRequired` as it came, or null; earlier rounds' are kept. */
  answerTo(name: string): unknown
  /** What the user filled in, if it fits the form: else null, to be asked again. Ends the call when they declined. */
  accepted(name: string, form: InputForm): Readonly<Record<string, unknown>> | null
  /** Tells every client that listens that the list of tools has changed. */
  toolsChanged(): void
}

// What a route may ask. Source: MCP 2026-07-28, Elicitation, and multi round-trip requests; templates/docs/questions.md.

/** A form that the user fills in; the schema is a flat JSON Schema object. */
export interface InputForm {
  readonly message: string
  readonly schema: Readonly<Record<string, unknown>>
}

/** An address that the user opens. The answer says whether they agreed to, and nothing of what happened there. */
export interface InputUrl {
  readonly message: string
  readonly url: string
}

/** A request of the protocol as it is sent; both methods are deprecated (earliest removal: the first revision on or after
 *  2027-07-28). */
export interface InputRequest {
  readonly method: 'sampling/createMessage' | 'roots/list'
  readonly params?: Readonly<Record<string, unknown>>
}

/** A text asks for the parameter of its name, whose type is `Elicited<T>`. */
export type InputQuestion = string | InputForm | InputUrl | InputRequest

/** The same, when the form of each text is known. */
export type ElicitedQuestion = Exclude<InputQuestion, string>

/** Where a request says an argument as text. */
export type TextPlace = 'path' | 'query' | 'header' | 'cookie'

/** The arguments of a call as the JSON that its client sent. Path, query, headers and cookies say them as text beside it, for filters,
 *  hooks and logs. */
// Source: decisions/mcp.md, Arguments.
export interface JsonArguments {
  /** The value of which that place of the request says `texts` (null = it says nothing); undefined where the text is all there is: it
   *  is no argument's, or the application has changed it since. */
  find(place: TextPlace, name: string, texts: readonly string[] | null): unknown
  /** What the arguments of the call are called there. */
  names(place: TextPlace): readonly string[]
}

/** The request that a route sees when it runs as a tool. */
export interface ToolCallRequest extends HttpRequest {
  /** They come from the process itself: no header or body of a client can be taken for them. */
  readonly json: JsonArguments
  readonly mcp: McpCall
  /** What the client sent beside the arguments: answers to questions, and the state that came with these; null in a first call. */
  readonly round: { readonly answers: Readonly<Record<string, unknown>>; readonly state: unknown } | null
  /** What is wrong with the call itself, to be thrown where the parameters are read, after the filters; else null. */
  readonly mistake: Error | null
  /** Takes an exception that speaks to the client, past every handler. */
  readonly raise: (error: Error) => void
}

export type JsonSchema = Readonly<Record<string, unknown>>

export interface ToolHints {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

/** A picture that clients show: a data URI. Source: MCP 2025-11-25, Icons. */
export interface ToolIcon {
  readonly src: string
  readonly mimeType: string
  /** `48x48` or `any`; absent where it is not known. */
  readonly sizes?: readonly string[]
}

/** How clients show a tool. */
export interface ToolLooks {
  /** Absent where its own toolbox's is meant, or none. */
  readonly icon?: ToolIcon
}

/** What words of `@mcp` say of a tool, under those very names; absent = not said. The compiler takes its names and values from here. */
export interface ToolWords {
  /** How many characters the text of an answer may have; absent = the configuration decides. */
  readonly budget?: number
}

/** A tool as the model sees it, made at build time from a route. */
export interface ToolEntry extends ToolWords, ToolLooks {
  readonly name: string
  /** The `Route.id` that it runs. */
  readonly route: string
  readonly toolbox: string
  readonly root: boolean
  readonly title: string | null
  readonly summary: string
  readonly description: string
  readonly hints: ToolHints
  /** A call that began before its process died may run again: it is marked `@mcp idempotent`. */
  readonly repeatable?: true
  /** It is marked `@mcp show`; absent where it is not. */
  readonly shown?: true
  /** Other words for it, which `find_tools` looks up too; absent where its author adds none. */
  readonly keywords?: readonly string[]
  /** Flat and closed JSON Schema 2020-12 object, without references to other documents. */
  readonly inputSchema: JsonSchema
  /** Schema of the success answer, or null. */
  readonly outputSchema: JsonSchema | null
  readonly arguments: readonly PlacedArgument[]
  /** What the route calls keys below its arguments, by those of clients: of each object that has such keys, by all keys that clients
   *  see in it, sorted, with commas between. Absent where there is none. */
  readonly renamed?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Absent where nothing of it pages, or where it may change something. */
  readonly paging?: ToolPaging
  /** What it answers unless its argument `fields` asks for more; absent = all. */
  readonly brief?: ToolBrief
  /** The properties of its answers whose text others wrote (`@untrusted`), names with dots between: `comments[].body`; absent where
   *  there is none. */
  readonly untrusted?: readonly string[]
}

/** `@mcp brief`: of the answer, or of each item of a list or a page, these properties alone. */
export interface ToolBrief {
  readonly names: readonly string[]
  /** What `fields` may add. */
  readonly more: readonly string[]
  /** The property that is the list of a page; absent where the answer is no page. */
  readonly items?: string
}

/** How the answers of a tool go on: as `@mcp paging` says, or from `nextCursor` of the answer to the argument `cursor`. */
export interface ToolPaging {
  /** Arguments: how many items come before the first of a page, its number, what takes `next`, and how many items a page has. */
  readonly offset?: string
  readonly page?: string
  readonly cursor?: string
  readonly limit?: string
  /** What `cursor` takes for the next page: a property of the answer, names with dots between. */
  readonly next?: string
  /** The property that is the list of a page; empty = the answer itself. */
  readonly items?: string
}

/** Where an argument goes: `argument` in the call → `name` in the request. */
export interface PlacedArgument {
  readonly argument: string
  readonly from: Exclude<ParamSource, 'absent'>
  readonly name: string
}

/** An argument that a user fills in, as a text. */
export interface TextArgument extends PlacedArgument {
  readonly description: string
  readonly required: boolean
  /** The values that it may have; null = there is no end of them. */
  readonly values: readonly string[] | null
  /** What completes it in place of its values; null = nothing does. */
  readonly completion: CompletionEntry | null
}

/** The route that completes an argument, and where it reads that and the arguments chosen already. */
export interface CompletionEntry {
  readonly route: string
  readonly arguments: readonly PlacedArgument[]
}

/** A prompt as users see it, made at build time from a method. */
export interface PromptEntry extends Pick<ToolEntry, 'name' | 'route' | 'toolbox' | 'title' | 'description'> {
  readonly arguments: readonly TextArgument[]
}

/** A resource, or a template of resources: one whose `uri` has arguments in braces (RFC 6570). */
export interface ResourceEntry extends PromptEntry {
  /** One that begins with a slash continues the base URL. */
  readonly uri: string
  /** Of every answer; null = not known. */
  readonly mimeType: string | null
}

export interface ToolboxEntry {
  readonly name: string
  readonly description: string
  /** Of each of its tools that has none. */
  readonly icon?: ToolIcon
}

/** Everything that `generated/mcp.yml` describes, with the schemas, in list order. */
export interface Catalogue {
  readonly instructions: string
  readonly toolboxes: readonly ToolboxEntry[]
  readonly tools: readonly ToolEntry[]
  /** Absent where there is none. */
  readonly prompts?: readonly PromptEntry[]
  /** Absent where there is none. */
  readonly resources?: readonly ResourceEntry[]
  /** `mcp.readOnly` has left out all that may change something; absent in what the build makes. */
  readonly isReadOnly?: true
}

/** What a server card says beside addresses and versions. See templates/docs/mcp.md. */
// Source: SEP-2127, a draft.
export interface ServerCard {
  /** Reversed domain and name, such as `org.example/orders`. */
  readonly name: string
  /** What the server is for; 100 characters at most. */
  readonly description: string
  readonly websiteUrl?: string
}

/** Protected resource metadata settings. See templates/docs/sign-in.md. */
// Source: rules.md, MCP server configuration.
export interface ResourceMetadata {
  readonly authorizationServers: readonly string[]
  readonly scopesSupported: readonly string[]
}
