/** The parts of `generated/mcp.yml` about prompts and resources: every text that users and models read of them. */
import type { PromptEntry, ResourceEntry, TextArgument } from '../../../../runtime/contract/mcp.ts'
import type { Action, Model } from '../../ir/model.ts'
import { actionsOf } from '../../schema/completions.ts'
import { oneLine, type Plain, printYaml } from '../yaml.ts'
import { withChecksum } from './checksummed.ts'
import { offeredIn } from './offered-entries.ts'
import { linesAt } from './tool-fields.ts'

const promptsLine = `# What users choose from a client's menu: the messages of a method. Arguments are texts.
prompts:
`
const resourcesLine = `# What clients read at an address, and hand to a model: the answer of a GET route.
resources:
`

/** The lines between parts, in every combination: an unedited file has one of them. */
export const offeredFrames: readonly string[] = ['', promptsLine, resourcesLine, promptsLine + resourcesLine]

/** The texts of both parts; none where the application has neither. */
export function printOffered({ controllers, schemas, scopes }: Model): readonly string[] {
  const { prompts, resources } = offeredIn(controllers, schemas)
  if (prompts.length === 0 && resources.length === 0) return []
  const actions = new Map(controllers.flatMap(actionsOf).map((action) => [action.id, action]))
  const print = (entry: PromptEntry, more: object): string => {
    const action = actions.get(entry.route)
    const scope = action === undefined || scopes.length === 0 ? {} : scopesOf(action)
    const isRoute = action !== undefined && !action.path.startsWith('/.acmcp/')
    const route = isRoute ? { verb: action.verb, path: action.path } : {}
    const call = action === undefined ? {} : linesAt(action, ['access', 'call', 'retry', 'answer'])
    const lines = { name: entry.name, ...more, ...route, ...scope, ...call, ...described(entry) }
    return withChecksum(printYaml([lines], '  '), 1)
  }
  return [
    ...(prompts.length === 0 ? [] : [promptsLine]),
    ...prompts.map((entry) => print(entry, {})),
    ...(resources.length === 0 ? [] : [resourcesLine]),
    ...resources.map((entry) => print(entry, addressOf(entry))),
  ]
}

const addressOf = ({ uri, mimeType }: ResourceEntry): object => ({
  uri,
  ...(mimeType === null ? {} : { mimeType }),
})

/** What a caller's token must grant. */
export function scopesOf({ scope }: Pick<Action, 'scope'>): object {
  if (scope === null) return { scopes: 'none' }
  const { names, unless } = scope
  return { scopes: oneLine(names), ...(unless.length === 0 ? {} : { unless: oneLine(unless) }) }
}

const described = ({ title, description, arguments: all }: PromptEntry): object => ({
  ...(title === null ? {} : { title }),
  description,
  ...(all.length === 0
    ? {}
    : { arguments: Object.fromEntries(all.map((argument) => [argument.argument, argumentOf(argument)])) }),
})

/** A line for each: a reviewer reads it in a diff. */
function argumentOf({ description, required, values, completion }: TextArgument): Plain {
  return oneLine({
    ...(required ? { required } : {}),
    ...(description === '' ? {} : { description }),
    ...(completion === null ? (values === null ? {} : { values }) : { completedBy: completion.route }),
  })
}
