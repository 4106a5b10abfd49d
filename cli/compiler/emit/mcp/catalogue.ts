/** `.acmcp/catalogue.mjs`: the tools as the model will see them. */
import type { Catalogue } from '../../../../runtime/contract/mcp.ts'
import { joiner } from '../../cache/memoize-latest.ts'
import { escaped, fullText, instructionsOf, isShown, type Toolbox } from '../../schema/toolboxes.ts'

/** The module. It is JSON in a text, which engines read many times as fast as an object. */
export function printCatalogue(toolboxes: readonly Toolbox[]): string {
  const shown = toolboxes.filter(isShown)
  const head: Omit<Catalogue, 'tools'> = {
    instructions: instructionsOf(toolboxes),
    toolboxes: shown.map(({ controller: { id, doc } }) => ({ name: id, description: fullText(doc) })),
  }
  return join([
    "const boxes = JSON.parse('[",
    ...shown.flatMap(({ text }, place) => (place === 0 ? [text] : [',', text])),
    "]')\n",
    complete,
    `export const catalogue = { ...JSON.parse('${escaped(JSON.stringify(head))}'), tools }\n`,
  ])
}

const join = joiner()

/** The tools with their schemas, and those with their definitions: each is one object, however many have it. */
const complete = `const tools = boxes.flatMap(({ definitions, schemas, tools }) => {
  for (const schema of schemas) {
    if (!Array.isArray(schema.$defs)) continue
    schema.$defs = Object.fromEntries(schema.$defs.map((name) => [name, definitions[name]]))
  }
  return tools.map((tool) => ({
    ...tool,
    inputSchema: schemas[tool.inputSchema],
    outputSchema: schemas[tool.outputSchema] ?? null,
  }))
})
`
