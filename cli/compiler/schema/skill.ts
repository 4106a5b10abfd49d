/** The skill of a toolbox (`@mcp skill`): its author's text, and the list of its tools.
 *  Source: SEP-2640, Skills; agentskills.io, Specification. */
import type { SkillEntry } from '../../../runtime/capabilities/skills/skill-entry.ts'
import { fullText } from '../ir/docs.ts'
import type { Action, Controller, Tool } from '../ir/model.ts'

/** The skill of a controller; null = it says nothing of one, or has no tools. */
export function skillOf(controller: Controller): SkillEntry | null {
  const { id, doc, skill, actions } = controller
  const tools = actions.flatMap(lineOf)
  if (skill === null || tools.length === 0) return null
  const name = skillNameOf(controller)
  const description = skillDescriptionOf(controller)
  const list = `Those that are not in your list are in the toolbox \`${id}\`: \`open_toolbox\` describes them.`
  const text = `${frontmatter(name, description)}\n# ${name}\n\n${fullText(doc)}\n\n## Tools\n\n${list}\n\n`
  return { toolbox: id, name, description, text, tools }
}

/** Its file. */
export const skillAddress = ({ name }: Pick<SkillEntry, 'name'>): string => `skill://${name}/SKILL.md`

/** `support_tickets` → `support-tickets`. Source: agentskills.io, Specification, name. */
export const skillNameOf = ({ id }: Pick<Controller, 'id'>): string => id.replace(/[_$]+/g, '-')

/** What it is for, and when to use it: all that a model knows of it until it is loaded. */
export const skillDescriptionOf = ({ doc, skill }: Pick<Controller, 'doc' | 'skill'>): string =>
  [doc.summary, skill?.when ?? ''].filter((text) => text !== '').join(' ')

/** The text for who may call every tool. */
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
