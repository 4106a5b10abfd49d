/** Pieces of a skill's files, each with the tools that it speaks of: who may not call them does not read it. */
import type { SkillPart } from '../../../../runtime/contract/mcp.ts'
import type { Action, Controller, Tool } from '../../ir/model.ts'

/** A route that is a tool. */
export interface ToolAction {
  readonly action: Action
  readonly tool: Tool
}

/** The tools of a controller, in source order. */
export const toolActionsOf = ({ actions }: Controller): readonly ToolAction[] =>
  actions.flatMap((action) => (action.tool === null ? [] : [{ action, tool: action.tool }]))

/** What is for who may call all tools of one of the groups; none = for everybody. */
export interface Line {
  readonly groups: Groups
  /** With its line break, where it ends one. */
  readonly text: string
}

type Groups = readonly (readonly string[])[]

/** A part of a file under a title, for who is shown a line of it. */
export interface Section {
  readonly title: string
  /** Below the title. */
  readonly lead: string
  readonly lines: readonly Line[]
  /** Below the lines. */
  readonly end: string
}

/** The pieces of a section; of one without lines nothing. */
export function sectionParts({ title, lead, lines, end }: Section): readonly SkillPart[] {
  if (lines.length === 0) return []
  const groups = anyOf(lines)
  const head = `\n## ${title}\n\n${lead === '' ? '' : `${lead}\n\n`}`
  const all = [{ groups, text: head }, ...lines, { groups, text: end }]
  return all.filter(({ text }) => text !== '').map(partOf)
}

/** The groups of who is shown one of the lines. */
export function anyOf(lines: readonly Line[]): Groups {
  if (lines.some(({ groups }) => groups.length === 0)) return []
  const groups = lines.flatMap((line) => line.groups)
  return [...new Map(groups.map((group) => [group.join(' '), group])).values()]
}

const partOf = ({ groups, text }: Line): SkillPart =>
  groups.length === 0 ? { text } : { text, tools: groups }
