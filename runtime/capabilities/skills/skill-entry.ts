import type { Catalogue } from '../../contract/mcp.ts'

/** How to use a toolbox: its author's text, and the list of its tools. Source: SEP-2640. */
export interface SkillEntry {
  readonly toolbox: string
  readonly name: string
  readonly description: string
  /** What the file of the skill says before the list. */
  readonly text: string
  /** The lines of the list, each with its line break: for clients that may call the tool. */
  readonly tools: readonly { readonly name: string; readonly line: string }[]
}

/** Its part of the catalogue; absent where there is none. */
export interface SkillCatalogue {
  readonly skills?: readonly SkillEntry[]
}

export const skillsOf = (catalogue: Catalogue): SkillCatalogue['skills'] =>
  (catalogue as Catalogue & SkillCatalogue).skills // the build has written it
