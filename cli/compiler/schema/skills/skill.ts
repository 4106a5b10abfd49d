/** The skill of a toolbox (`@mcp skill`): what a model reads to use its tools well, in pieces that say which tools they speak of.
 *  Source: SEP-2640, Skills; agentskills.io, Specification. */
import type { SkillEntry, SkillFile, SkillPart } from '../../../../runtime/contract/mcp.ts'
import type { Controller, Tool } from '../../ir/model.ts'
import type { NamedSchema } from '../../ir/schema.ts'
import { fullText } from '../tools.ts'
import { cooperationOf } from './cooperation.ts'
import { failuresOf } from './failures.ts'
import { type Section, sectionParts, type ToolAction, toolActionsOf } from './parts.ts'

/** The skills of those controllers that have one, in their order. */
export const skillsOf = (
  controllers: readonly Controller[],
  named: readonly NamedSchema[],
): readonly SkillEntry[] => controllers.flatMap((controller) => skillOf(controller, named) ?? [])

/** The skill of a controller; null = it says nothing of one, or has no tools. */
export function skillOf(controller: Controller, named: readonly NamedSchema[]): SkillEntry | null {
  const actions = toolActionsOf(controller)
  if (controller.skill === null || actions.length === 0) return null
  const name = skillNameOf(controller)
  const description = skillDescriptionOf(controller)
  const references: readonly SkillFile[] = [
    ...recipesOf(name, actions),
    { path: 'references/errors.md', parts: failuresOf(name, actions) },
  ]
  const head: SkillPart = {
    text: `${frontmatter(name, description)}\n# ${name}\n\n${fullText(controller.doc)}\n`,
  }
  const sections = [toolsSection(controller, actions), cooperationOf(actions, named)]
  const more = references.map(({ path, parts }) => linkTo(path, parts))
  const parts = [head, ...sections.flatMap(sectionParts), { text: '\n## More\n\n' }, ...more]
  return { toolbox: controller.id, name, description, files: [{ path: 'SKILL.md', parts }, ...references] }
}

/** `skill://<name>`, below which its files are. */
export const skillAddress = ({ name }: Pick<SkillEntry, 'name'>): string => `skill://${name}`

/** `support_tickets` → `support-tickets`. Source: agentskills.io, Specification, name. */
export const skillNameOf = ({ id }: Pick<Controller, 'id'>): string => id.replace(/[_$]+/g, '-')

/** What it is for, and when to use it: all that a model knows of it until it is loaded. */
export const skillDescriptionOf = ({ doc, skill }: Pick<Controller, 'doc' | 'skill'>): string =>
  [doc.summary, skill?.when ?? ''].filter((text) => text !== '').join(' ')

/** The text of a file for who may call every tool. */
export const wholeTextOf = ({ parts }: SkillFile): string =>
  parts
    .map(({ text }) => text)
    .join('')
    .trimEnd()

/** In double quotes, which every reader of YAML takes for the same text. */
const frontmatter = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${JSON.stringify(description).replace(unprintable, unicodeEscape)}\n---\n`

/** What YAML 1.2.2 (5.1) does not print, and JSON leaves as it is. */
const unprintable = /[\u007f-\u009f\u2028\u2029\ufeff]/g

const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

function toolsSection({ id }: Controller, actions: readonly ToolAction[]): Section {
  return {
    title: 'Tools',
    lead: `Call a tool by its name. If it is not in your list, open its toolbox: \`open_toolbox\` with \`{"name":"${id}"}\`.`,
    lines: actions.map(({ tool, action: { doc } }) => ({
      groups: [[tool.name]],
      text: `- \`${tool.name}\` (${effectOf(tool)}${doc.deprecated ? ', deprecated' : ''}): ${tool.summary}\n`,
    })),
    end: '',
  }
}

function effectOf({ hints }: Tool): string {
  if (hints.readOnly) return 'reads'
  const effect = hints.destructive ? 'deletes or overwrites' : 'writes'
  return hints.idempotent ? `${effect}; may be repeated` : effect
}

/** An example call is a recipe: the arguments as its author wrote them. */
function recipesOf(name: string, actions: readonly ToolAction[]): readonly SkillFile[] {
  const sections = actions
    .filter(({ tool }) => tool.examples.length > 0)
    .map(
      ({ tool }): Section => ({
        title: `\`${tool.name}\``,
        lead: tool.summary,
        lines: tool.examples.map(({ value }) => ({
          groups: [[tool.name]],
          text: `\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`,
        })),
        end: '',
      }),
    )
  if (sections.length === 0) return []
  const parts = sections.flatMap(sectionParts)
  const tools = parts.flatMap((part) => part.tools ?? [])
  const head = `# Calls of ${name}\n\nArguments that work, by tool. Change the values, keep the names.\n`
  return [{ path: 'references/recipes.md', parts: [{ text: head, tools }, ...parts] }]
}

const linkTexts: Readonly<Record<string, string>> = {
  'references/recipes.md': 'example calls, by tool',
  'references/errors.md': 'what a failed call means, and what to do',
}

function linkTo(path: string, parts: readonly SkillPart[]): SkillPart {
  const text = `- [${path}](${path}): ${linkTexts[path]}\n`
  const [first] = parts
  return first?.tools === undefined ? { text } : { text, tools: first.tools }
}
