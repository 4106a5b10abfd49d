/** The prompts and resources of the catalogue, as MCP clients will see them. */
import type {
  Catalogue,
  CompletionEntry,
  PromptEntry,
  ResourceEntry,
  TextArgument,
} from '../../../../runtime/contract/mcp.ts'
import { fullText } from '../../ir/docs.ts'
import type { Controller, Model, ToolArgument } from '../../ir/model.ts'
import { safeName } from '../../ir/safe-names.ts'
import { type Completing, completionsOf, type OfferedAction, offersOf } from '../../schema/completions.ts'
import { valuesOf } from '../../schema/text-values.ts'
import { placedArgument } from './tool-entry.ts'

type Named = Model['schemas']

/** Nothing where the application has none. */
export function offeredEntries(
  controllers: readonly Controller[],
  named: Named,
): Pick<Catalogue, 'prompts' | 'resources'> {
  const { prompts, resources } = offeredIn(controllers, named)
  return {
    ...(prompts.length === 0 ? {} : { prompts }),
    ...(resources.length === 0 ? {} : { resources }),
  }
}

/** Both, in the order of the controllers. */
export function offeredIn(
  controllers: readonly Controller[],
  named: Named,
): { readonly prompts: readonly PromptEntry[]; readonly resources: readonly ResourceEntry[] } {
  const offers = offersOf(controllers)
  const completing = offers.length === 0 ? [] : completionsOf(controllers)
  const entries = offers.map((offer) => ({ offer, entry: entryOf(offer, completing, named) }))
  return {
    prompts: entries.flatMap(({ offer, entry }) => (offer.kind === 'prompt' ? [entry] : [])),
    resources: entries.flatMap(({ offer: { kind, action }, entry }) => {
      const { resource } = action
      if (kind !== 'resource' || resource === null) return []
      const { uri, mimeType } = resource
      const isNamed = ({ argument }: TextArgument): boolean => new RegExp(`[{+?,]${argument}[,}]`).test(uri)
      return [{ ...entry, arguments: entry.arguments.filter(isNamed), uri, mimeType }]
    }),
  }
}

function entryOf(
  { kind, entry, action, controller }: OfferedAction,
  all: readonly Completing[],
  named: Named,
): PromptEntry {
  const completing = all.filter(({ target }) => target?.kind === kind && target.entry === entry)
  return {
    name: entry.name,
    route: action.id,
    toolbox: controller.id,
    title: entry.title,
    description: entry.description,
    arguments: entry.arguments.map((argument) => argumentOf(argument, completing, named)),
  }
}

function argumentOf(
  toolArgument: ToolArgument,
  completing: readonly Completing[],
  named: Named,
): TextArgument {
  const { argument, param } = toolArgument
  const by = completing.find(({ completion }) => completion.argument === argument)
  return {
    ...placedArgument(toolArgument),
    description: fullText(param.doc),
    required: param.required,
    values: valuesOf(param.schema, named),
    completion: by === undefined ? null : completionEntry(by),
  }
}

/** Its parameters are called as the arguments that they stand for. */
const completionEntry = ({ action: { id, inputs } }: Completing): CompletionEntry => ({
  route: id,
  arguments: inputs
    .filter(({ from }) => from === 'query' || from === 'field' || from === 'path' || from === 'rest')
    .map((param) => placedArgument({ argument: safeName(param.wireName), param })),
})
