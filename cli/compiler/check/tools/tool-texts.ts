/** The lint of what models read. All are warnings; `--strict` makes them errors. */

import { maxListedTools } from '../../../dialects/clients.ts'
import {
  argumentTextMissing,
  duplicateTexts,
  overBudget,
  textTooLong,
  toolboxTextMissing,
} from '../../diagnostics/model-diagnostics.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import { fullText } from '../../ir/docs.ts'
import type { Action, Controller, Model } from '../../ir/model.ts'
import { withAnswered } from '../../schema/answered.ts'
import { memo } from '../../schema/memo.ts'
import {
  allTools,
  instructionsOf,
  isListed,
  type ToolView,
  toolsOf,
  totalTokens,
} from '../../schema/tools.ts'
import { credentialsShown } from './credentials.ts'
import { wordsIn } from './words-in.ts'

const longestText = 400
const maxToolTokens = 1500
const maxStartTokens = 10_000
const longestInstructions = 2048
/** Those that every endpoint lists beside the root tools. */
const metaTools = 5

/** Every text that a model would miss, mix up or pay too much for. */
export function checkTexts(model: Model): readonly Diagnostic[] {
  const { controllers, schemas } = model
  const own = controllers.flatMap((controller) => checkController(controller, schemas))
  return uniqueByPlace([...own, ...budgets(controllers, allTools(model))])
}

const checkController = memo((controller: Controller, named): readonly Diagnostic[] => {
  const tools = toolsOf(controller, named)
  const actions = tools.map(({ action }) => action)
  return [
    ...toolboxText(controller),
    ...duplicates(actions),
    ...actions.flatMap(missingTexts),
    ...actions.flatMap(longTexts),
    ...tools.flatMap(heavyTool),
    ...tools.flatMap((view) => credentialsShown(view, withAnswered(named))),
  ]
})

/** The lists of toolboxes, and the instructions, have nothing else of it. */
const toolboxText = (controller: Controller): readonly Diagnostic[] =>
  isListed(controller) && saysNothing(fullText(controller.doc), controller)
    ? [toolboxTextMissing(controller.at, controller.id)]
    : []

/** What stands beside a name in a text that says no more than it. */
const around =
  /^(?:the|a|an|this|these|is|are|all|of|for|controllers?|class|toolbox|tools?|api|endpoints?|routes?)$/

/** Whether a text has no words, or only those of the name: `Orders.` and `The orders toolbox.` of `Orders`. */
function saysNothing(text: string, { id, symbol }: Controller): boolean {
  const said = meaningIn(text)
  return said === '' || said === meaningIn(id) || said === meaningIn(symbol.name)
}

/** Its words without case, marks, blanks and the s of many. */
const meaningIn = (text: string): string =>
  wordsIn(text)
    .split(' ')
    .filter((word) => !around.test(word))
    .map((word) => word.replace(/ies$/, 'y').replace(/(?<=.)s$/, ''))
    .join('')

/** A text that several classes inherit is judged once. */
function uniqueByPlace(found: readonly Diagnostic[]): readonly Diagnostic[] {
  const byPlace = new Map<string, Diagnostic>()
  for (const diagnostic of found) {
    const place = JSON.stringify([diagnostic.code, diagnostic.at])
    if (!byPlace.has(place)) byPlace.set(place, diagnostic)
  }
  return [...byPlace.values()]
}

/** Siblings with one text: a model cannot choose. */
function duplicates(actions: readonly Action[]): readonly Diagnostic[] {
  const byDescription = new Map<string, Action>()
  return actions.flatMap((action) => {
    const { tool, doc } = action
    if (tool === null || doc.summary === '') return []
    const first = byDescription.get(tool.description)
    if (first !== undefined) return [duplicateTexts(action.at, tool.name, first.at)]
    byDescription.set(tool.description, action)
    return []
  })
}

function missingTexts(action: Action): readonly Diagnostic[] {
  return (action.tool?.arguments ?? [])
    .filter(({ param: { required, doc, from } }) => required && doc.summary === '' && from !== 'body')
    .map(({ argument, param }) => argumentTextMissing(param.at, argument, action.tool?.name ?? action.id))
}

function longTexts({ at, tool }: Action): readonly Diagnostic[] {
  if (tool === null || tool.description.length <= longestText) return []
  return [textTooLong(at, tool.name, tool.description.length, longestText)]
}

function heavyTool({ action, tool, tokens }: ToolView): readonly Diagnostic[] {
  if (tokens <= maxToolTokens) return []
  return [overBudget(action.at, `the tool ${tool.name}`, `${tokens} tokens`, `${maxToolTokens}`)]
}

function budgets(controllers: readonly Controller[], tools: readonly ToolView[]): readonly Diagnostic[] {
  const at = { file: 'generated/mcp.yml', line: 1, column: 1 }
  const root = tools.filter(({ tool }) => tool.root)
  const start = totalTokens(root)
  const listed = root.length + metaTools
  const instructions = instructionsOf(controllers)
  return [
    ...(start > maxStartTokens
      ? [overBudget(at, 'the list of root tools', `${start} tokens`, `${maxStartTokens}`)]
      : []),
    ...(listed > maxListedTools
      ? [overBudget(at, 'the first list', `${listed} tools`, `the ${maxListedTools} of some clients`)]
      : []),
    ...(instructions.length > longestInstructions
      ? [overBudget(at, 'the instructions', `${instructions.length} characters`, `${longestInstructions}`)]
      : []),
  ]
}
