/** The skill of a toolbox: its author's text, and the list of its tools.
 *  Source: SEP-2640, Skills; agentskills.io, Specification. */
import type { SkillEntry } from '../../../runtime/capabilities/skills/skill-entry.ts'
import type { LinkedToolbox } from '../../compiler/feature.ts'
import { fullText } from '../../compiler/ir/docs.ts'
import type { Action, Tool } from '../../compiler/ir/model.ts'
import type { At } from '../../compiler/ir/schema.ts'

export const skillName = { tag: 'mcp skill' } as const

/** What a class says of its skill. */
export interface Skill {
  /** When to use it, as written; empty = not said. */
  readonly when: string
  readonly at: At
}

/** The skill of a toolbox; null = it has no tools. */
export function skillOf(toolbox: LinkedToolbox, skill: Skill): SkillEntry | null {
  const { id, doc, actions } = toolbox
  const tools = actions.flatMap(lineOf)
  if (tools.length === 0) return null
  const name = skillNameOf(toolbox)
  const description = skillDescriptionOf(toolbox, skill)
  const list = `Those that are not in your list are in the toolbox \`${id}\`: \`open_toolbox\` describes them.`
  const text = `${frontmatter(name, description)}\n# ${name}\n\n${fullText(doc)}\n\n## Tools\n\n${list}\n\n`
  return { toolbox: id, name, description, text, tools }
}

/** The address of its Markdown file. */
export const skillAddress = ({ name }: Pick<SkillEntry, 'name'>): string => `skill://${name}/SKILL.md`

/** `support_tickets` → `support-tickets`. Source: agentskills.io, Specification, name. */
export const skillNameOf = ({ id }: Pick<LinkedToolbox, 'id'>): string => id.replace(/[_$]+/g, '-')

/** What it is for, and when to use it: all that a model knows of it until it is loaded. */
export const skillDescriptionOf = ({ doc }: Pick<LinkedToolbox, 'doc'>, { when }: Skill): string =>
  [doc.summary, when].filter((text) => text !== '').join(' ')

/** The text for a client that may call every tool. */
export const wholeTextOf = ({ text, tools }: SkillEntry): string =>
  [text, ...tools.map(({ line }) => line)].join('').trimEnd()

/** In double quotes, which every reader of YAML takes for the same text. */
const frontmatter = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${JSON.stringify(description).replace(unprintable, unicodeEscape)}\n---\n`

/** What YAML 1.2.2 (5.1) does not print, and JSON leaves as it is. */
const unprintable = /[\u007f-\u009f\u2028\u2029\ufeff]/g

const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

function lineOf({ tool, doc }: Action): SkillEntry['tools'] {
  if (tool === null) return []
  const { name, summary } = tool
  const effect = `${effectOf(tool)}${doc.deprecated ? ', deprecated' : ''}`
  return [{ name, line: `- \`${name}\` (${effect}): ${summary}\n` }]
}

function effectOf({ hints }: Tool): string {
  if (hints.readOnly) return 'reads'
  const effect = hints.destructive ? 'deletes or overwrites' : 'writes'
  return hints.idempotent ? `${effect}; may be repeated` : effect
}
