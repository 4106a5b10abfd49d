/** What optional tags say, and what they come to at a route: data that every printer adds without knowing the tag. */
import type { JsonSchema, PlacedArgument } from '../../../runtime/contract/mcp.ts'
import type { Result } from './steps.ts'

/** What optional tags of one class or method say, by tag; its feature alone knows what that is. */
export type SaidByFeatures = Readonly<Record<string, unknown>>

/** Values by name, in the order in which they are printed. */
export type NamedFields = Readonly<Record<string, unknown>>

/** The words beside which a feature stands: access, how calls run, how they are retried, their answers. Printed in
 *  this order; in OpenAPI and the typed client retry comes before call. */
export type FeaturePlace = 'access' | 'call' | 'retry' | 'answer'

/** What the framework answers by itself. */
export interface FrameworkResult extends Result {
  /** What components of the document are called after it. */
  readonly error: string
}

/** What OpenAPI says of the operation. */
export interface OperationPart {
  readonly fields: NamedFields
  readonly parameters: readonly NamedFields[]
  readonly results: readonly FrameworkResult[]
  /** Of a response, by its status. */
  readonly headers: Readonly<Record<string, NamedFields>>
}

/** An argument of the tool that is no parameter of the route. */
export interface FeatureArgument extends PlacedArgument {
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

/** What stands behind the texts of a tool or toolbox. */
export interface TextPart {
  /** In the catalogue. */
  readonly entry: NamedFields
  /** In `mcp.yml`. */
  readonly lines: NamedFields
}

/** What models read of the tool. */
export interface ToolPart {
  readonly arguments: readonly FeatureArgument[]
  /** Behind its description. */
  readonly sentences: readonly string[]
  readonly texts: TextPart
  /** Of its entry in the catalogue, and in `mcp.yml`. */
  readonly words: NamedFields
  /** A call may go on after a restart: again from its beginning, where `@mcp idempotent` stands too. */
  readonly runsAgain: boolean
  /** What holds of its calls, unless `@mcp` says otherwise. */
  readonly hints: Readonly<Record<string, boolean>>
}

/** An optional tag at one route. */
export interface FeatureUse {
  readonly tag: string
  /** What its feature made of the tags; no other code knows what that is. */
  readonly meant: unknown
  readonly place: FeaturePlace
  /** Of the route's line in `generated/routes.ts`. */
  readonly row: NamedFields
  /** All addresses of the route have one state: those that are shorter name the longest one. */
  readonly isShared: boolean
  /** Of the entry in `generated/mcp.yml`. */
  readonly lines: NamedFields
  /** The media types of the body that documents name; null = it says nothing of them. */
  readonly bodyTypes: readonly string[] | null
  /** Of the call in the typed client. */
  readonly call: NamedFields
  readonly operation: OperationPart
  readonly tool: ToolPart
}

/** What models read of a toolbox. */
export interface ToolboxPart {
  readonly texts: TextPart
  /** An item for each of these lists of the catalogue. */
  readonly listed: NamedFields
}

/** An optional tag of a class that says something of the class itself. */
export interface ToolboxUse extends ToolboxPart {
  readonly tag: string
  /** By the class itself; null = only ancestors say it. */
  readonly said: unknown
}

/** Everything that has optional tags. */
export interface Featured {
  readonly features: readonly FeatureUse[]
}

/** What all of them add to one thing. */
export const addedBy = <T>({ features }: Featured, part: (use: FeatureUse) => readonly T[]): readonly T[] =>
  features.flatMap(part)

/** The fields that all of them add. */
export const joinedFields = <Use>(uses: readonly Use[], part: (use: Use) => NamedFields): NamedFields =>
  Object.assign({}, ...uses.map(part))

/** The fields that those at these places add, place by place. */
export const fieldsAt = (
  { features }: Featured,
  places: readonly FeaturePlace[],
  part: (use: FeatureUse) => NamedFields,
): NamedFields =>
  Object.assign({}, ...places.flatMap((place) => features.filter((use) => use.place === place).map(part)))
