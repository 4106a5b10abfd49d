/** `.acmcp/catalogue.mjs`: the tools as the model will see them. */
import type { SkillCatalogue } from '../../../../runtime/capabilities/skills/skill-entry.ts'
import type { Catalogue } from '../../../../runtime/contract/mcp.ts'
import { fullText } from '../../ir/docs.ts'
import type { Model } from '../../ir/model.ts'
import { skillOf } from '../../schema/skill.ts'
import { instructionsOf } from '../../schema/tools.ts'
import { offeredEntries } from './offered-entries.ts'
import { iconEntry } from './tool-fields.ts'
import { escaped, type Toolbox } from './toolboxes.ts'

/** The module. It is JSON in a text, which engines read many times as fast as an object. */
export function printCatalogue(
  toolboxes: readonly Toolbox[],
  { controllers, schemas }: Pick<Model, 'controllers' | 'schemas'>,
): string {
  const skills = controllers.flatMap((controller) => skillOf(controller) ?? [])
  const head: Omit<Catalogue, 'tools'> & SkillCatalogue = {
    instructions: instructionsOf(toolboxes.map(({ controller }) => controller)),
    toolboxes: toolboxes.map(({ controller: { id, doc, icon } }) => ({
      name: id,
      description: fullText(doc),
      ...(icon === null ? {} : { icon: iconEntry(icon) }),
    })),
    ...offeredEntries(controllers, schemas),
    ...(skills.length === 0 ? {} : { skills }),
  }
  return [
    "const boxes = JSON.parse('[",
    ...toolboxes.flatMap(({ text }, place) => (place === 0 ? [text] : [',', text])),
    "]')\n",
    complete,
    `export const catalogue = { ...JSON.parse('${escaped(JSON.stringify(head))}'), tools }\n`,
  ].join('')
}

/** The tools with their schemas, and those with their definitions: each is one object, however many have it. */
const complete = `const tools = boxes.flatMap(({ definitions, schemas, tools }) => {
  for (const schema of schemas) {
    if (!Array.isArray(schema.$defs)) continue
    schema.$defs = Object.assign({}, ...schema.$defs.map((place) => definitions[place]))
  }
  return tools.map((tool) => ({
    ...tool,
    inputSchema: schemas[tool.inputSchema],
    outputSchema: schemas[tool.outputSchema] ?? null,
  }))
})
`
