/** An optional tag of the compiler, as one record. The passes call it and know no tag by name; it uses their helpers and runs none of them. The list of all is
 *  handed to `runPasses`. */
import type { Subject } from './check/controller-rules.ts'
import type { Diagnostic } from './diagnostics/source-diagnostics.ts'
import type {
  FeaturePlace,
  FeatureUse,
  NamedFields,
  OperationPart,
  TextPart,
  ToolboxPart,
  ToolboxUse,
  ToolPart,
} from './ir/features.ts'
import type { Action, Controller } from './ir/model.ts'
import type { At } from './ir/schema.ts'
import type { DeclaredMethod, DeclaredRoute } from './ir/source-model.ts'
import type { Tag } from './read/jsdoc/tag.ts'
import type { TagOwner, TagReader, TagSource } from './read/language.ts'

/** What stands at a method and at its classes. */
export interface Tags<Said> {
  readonly ofMethod: Said | null
  /** Furthest ancestor first. */
  readonly ofClasses: readonly Said[]
}

/** What stands at a class and at its ancestors. */
export interface ToolboxTags<Said> {
  /** Of the class itself. */
  readonly own: Said | null
  /** Of all of them, furthest ancestor first. */
  readonly ofClasses: readonly Said[]
}

/** What is known of a route when its optional tags are linked. */
export type LinkedRoute = Pick<Action, 'verb' | 'inputs' | 'results' | 'handlers'>

export type LinkedToolbox = Pick<Controller, 'id' | 'doc' | 'actions'>

/** `Said`: what one tag says; `Meant`: what the tags of a route come to. Of what it leaves out it adds nothing. */
export interface Feature<Said = unknown, Meant = unknown> extends TagReader {
  /** Beside which words all that it gives is printed. */
  readonly place: FeaturePlace
  /** Null = it was refused, with a diagnostic at the tag (`refuse`, `refuseText` of `read/jsdoc/tag.ts`). */
  read(source: TagSource, tag: Tag, owner: TagOwner): Said | null
  /** Called where something is said; null = it means nothing for this route. */
  link?(tags: Tags<Said>, route: DeclaredRoute, method: DeclaredMethod): Meant | null
  /** All that is wrong in one controller; filters of several routes are looked at more than once. */
  check?(subject: Subject): readonly Diagnostic[]
  /** All that is wrong between controllers. */
  checkAll?(controllers: readonly Controller[]): readonly Diagnostic[]
  /** Its tag stands on a method that is no tool in any controller; absent = as it is told of every tag. */
  withoutTool?(at: At, method: string, why: string): Diagnostic
  /** Its fields of the route's row in `generated/routes.ts`, which the runtime reads. */
  row?(meant: Meant): NamedFields
  /** All addresses of a route with optional segments have one state: a limit, keys. */
  isShared?(meant: Meant): boolean
  /** Its lines of the route's entry in `generated/mcp.yml`, which people review. */
  lines?(meant: Meant): NamedFields
  /** The media types of the body that documents name. */
  bodyTypes?(meant: Meant): readonly string[]
  /** Its fields of the call in the typed client. */
  call?(meant: Meant): NamedFields
  /** Fields, parameters, answers and their headers of the operation in `generated/openapi.yml`. */
  operation?(meant: Meant, route: LinkedRoute): Partial<OperationPart>
  /** Arguments, sentences, hints and words of the tool. Prompts and resources have none of them. */
  tool?(meant: Meant): Partial<ToolPart>
  /** What is told of the class as a toolbox; null = nothing. */
  toolbox?(tags: ToolboxTags<Said>, toolbox: LinkedToolbox): Partial<ToolboxPart> | null
}

/** The word of the method itself, else that of the nearest class. */
export const nearestOf = <Said>({ ofMethod, ofClasses }: Tags<Said>): Said | null =>
  ofMethod ?? ofClasses.at(-1) ?? null

type Named = Pick<TagReader, 'tag'>

/** What a method itself says by the tag; null = nothing. */
export const saidBy = <Said>({ tag }: Named, { said }: Pick<DeclaredMethod, 'said'>): Said | null =>
  (said[tag] ?? null) as Said | null // its own feature read it

/** What the tag means for a route; null = nothing. */
export const meantBy = <Meant>({ tag }: Named, { features }: Pick<Action, 'features'>): Meant | null =>
  (features.find((use) => use.tag === tag)?.meant ?? null) as Meant | null // its own feature linked it

const noOperation: OperationPart = { fields: {}, parameters: [], results: [], headers: {} }
const noTexts: TextPart = { entry: {}, lines: {} }
const noTool: ToolPart = {
  texts: noTexts,
  arguments: [],
  sentences: [],
  words: {},
  runsAgain: false,
  hints: {},
}
const noToolbox: ToolboxPart = { texts: noTexts, listed: {} }

/** What `meant` comes to at the route. */
export const useOf = (feature: Feature, meant: unknown, route: LinkedRoute): FeatureUse => ({
  tag: feature.tag,
  meant,
  place: feature.place,
  row: feature.row?.(meant) ?? {},
  isShared: feature.isShared?.(meant) ?? false,
  lines: feature.lines?.(meant) ?? {},
  bodyTypes: feature.bodyTypes?.(meant) ?? null,
  call: feature.call?.(meant) ?? {},
  operation: { ...noOperation, ...feature.operation?.(meant, route) },
  tool: { ...noTool, ...feature.tool?.(meant) },
})

/** What the tags of a class come to, told of its toolbox; null = nothing. */
export function toolboxUseOf(
  feature: Feature,
  tags: ToolboxTags<unknown>,
  toolbox: LinkedToolbox,
): ToolboxUse | null {
  const part = feature.toolbox?.(tags, toolbox) ?? null
  return part === null && tags.own === null
    ? null
    : { tag: feature.tag, said: tags.own, ...noToolbox, ...part }
}

/** What the class of a toolbox says by the tag; null = nothing. */
export const saidOf = <Said>({ tag }: Named, { features }: Pick<Controller, 'features'>): Said | null =>
  (features.find((use) => use.tag === tag)?.said ?? null) as Said | null // its own feature read it
