/** `.acmcp/catalogue.mjs`: the tools as the model will see them. */
import type { Catalogue } from '../../../../runtime/contract/mcp.ts'
import { fullText } from '../../ir/docs.ts'
import { joinedFields } from '../../ir/features.ts'
import type { Model } from '../../ir/model.ts'
import { instructionsOf } from '../../schema/tools.ts'
import { offeredEntries } from './offered-entries.ts'
import { escaped, type Toolbox } from './toolboxes.ts'

/** The module. It is JSON in a text, which engines read many times as fast as an object. */
export function printCatalogue(
  toolboxes: readonly Toolbox[],
  { controllers, schemas }: Pick<Model, 'controllers' | 'schemas'>,
): string {
  const head: Omit<Catalogue, 'tools'> = {
    instructions: instructionsOf(toolboxes.map(({ controller }) => controller)),
    toolboxes: toolboxes.map(({ controller: { id, doc, features } }) => ({
      name: id,
      description: fullText(doc),
      ...joinedFields(features, ({ texts }) => texts.entry),
    })),
    ...offeredEntries(controllers, schemas),
    ...listedBy(controllers),
  }
  return [
    "const boxes = JSON.parse('[",
    ...toolboxes.flatMap(({ text }, place) => (place === 0 ? [text] : [',', text])),
    "]')\n",
    complete,
    `export const catalogue = { ...JSON.parse('${escaped(JSON.stringify(head))}'), tools }\n`,
  ].join('')
}

/** What optional tags of classes add, a list for each name. */
function listedBy(controllers: Model['controllers']): Readonly<Record<string, readonly unknown[]>> {
  const items = controllers
    .flatMap(({ features }) => features)
    .flatMap(({ listed }) => Object.entries(listed))
  const names = [...new Set(items.map(([name]) => name))]
  const itemsOf = (name: string): readonly unknown[] =>
    items.flatMap(([other, item]) => (other === name ? [item] : []))
  return Object.fromEntries(names.map((name) => [name, itemsOf(name)]))
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
