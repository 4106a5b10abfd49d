/** The lint of what models read. Source: reference/tool-texts, section 5. All are warnings; `--strict` makes them errors. */
import type { Catalogue } from '../../runtime/contract.ts'
import type { Diagnostic } from './diagnostics.ts'
import { toolArguments } from './emit/catalogue.ts'
import { tokensOf } from './emit/mcp-yml.ts'
import type { Action, Controller, Model } from './model.ts'
import { argumentTextMissing, overBudget, textTooLong, twinTexts } from './rule-diagnostics.ts'

const longestText = 400
const mostToolTokens = 1500
const mostStartTokens = 10_000
const longestInstructions = 2048

/** Every text that a model would miss, mix up or pay too much for. */
export function checkTexts(model: Model, catalogue: Catalogue): readonly Diagnostic[] {
  const found = [
    ...model.controllers.flatMap(twins),
    ...toolsOf(model).flatMap(missingTexts),
    ...toolsOf(model).flatMap(longTexts),
    ...budgets(model, catalogue),
  ]
  return found.filter(isFirst)
}

/** A text that several classes inherit is judged once. */
function isFirst({ code, at }: Diagnostic, index: number, all: readonly Diagnostic[]): boolean {
  return all.findIndex((one) => one.code === code && JSON.stringify(one.at) === JSON.stringify(at)) === index
}

const toolsOf = ({ controllers }: Model): readonly Action[] =>
  controllers.flatMap(({ actions }) => actions.filter(({ tool }) => tool !== null))

/** Siblings with one text: a model cannot choose. */
function twins({ actions }: Controller): readonly Diagnostic[] {
  const firsts = new Map<string, Action>()
  return actions.flatMap((action) => {
    const { tool, doc } = action
    if (tool === null || doc.summary === '') return []
    const first = firsts.get(tool.description)
    if (first !== undefined) return [twinTexts(action.at, action.id, first.at)]
    firsts.set(tool.description, action)
    return []
  })
}

function missingTexts(action: Action): readonly Diagnostic[] {
  return toolArguments(action)
    .filter(({ param: { required, doc, from } }) => required && doc.summary === '' && from !== 'body')
    .map(({ argument, param }) => argumentTextMissing(param.at, argument, action.id))
}

function longTexts({ at, id, tool }: Action): readonly Diagnostic[] {
  const length = tool?.description.length ?? 0
  return length > longestText ? [textTooLong(at, id, length, longestText)] : []
}

function budgets(model: Model, { tools, instructions }: Catalogue): readonly Diagnostic[] {
  const at = { file: 'generated/mcp.yml', line: 1, column: 1 }
  const places = new Map(toolsOf(model).map((action) => [action.id, action.at]))
  const heavy = tools
    .filter((tool) => tokensOf(tool) > mostToolTokens)
    .map((tool) =>
      overBudget(
        places.get(tool.route) ?? at,
        `the tool ${tool.name}`,
        `${tokensOf(tool)} tokens`,
        `${mostToolTokens}`,
      ),
    )
  const start = tools.filter(({ root }) => root).reduce((total, tool) => total + tokensOf(tool), 0)
  return [
    ...heavy,
    ...(start > mostStartTokens
      ? [overBudget(at, 'the list of root tools', `${start} tokens`, `${mostStartTokens}`)]
      : []),
    ...(instructions.length > longestInstructions
      ? [overBudget(at, 'the instructions', `${instructions.length} characters`, `${longestInstructions}`)]
      : []),
  ]
}
