/** `completion/complete`: from the values of an enum, or from the method that says `@complete`. Source: MCP 2025-11-25, Completion. */
import { type CompleteRequest, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Catalogue, PromptEntry, TextArgument } from '../../contract/mcp.ts'
import { unknownName } from '../../suggestions.ts'
import type { MethodAnswer } from '../method.ts'
import { publicUri } from '../uris/uri-template.ts'
import { firstText } from './prompts.ts'
import { failedRun, type PrepareText, type RunText, returnedValue, type TextCall } from './text-calls.ts'

/** As many values as an answer may have. */
const maxValues = 100

/** What a request comes to: values, or a refusal of the route that has them. Throws what the client is told instead. */
export type CompleteArgument = (
  params: CompleteRequest['params'],
  call: Omit<TextCall, 'args'>,
) => Promise<MethodAnswer>

/** An argument that no method completes has no values. */
export function createCompletions(
  { prompts = [], resources = [] }: Catalogue,
  { prepare, baseUrl }: { readonly prepare: PrepareText; readonly baseUrl: string },
): CompleteArgument {
  const runs = new Map<TextArgument, Completing>()
  for (const argument of [...prompts, ...resources].flatMap((entry) => entry.arguments)) {
    const completing = completingOf(argument, prepare)
    if (completing !== null) runs.set(argument, completing)
  }
  return async ({ ref, argument, context }, call) => {
    const [kind, name] =
      ref.type === 'ref/prompt' ? (['prompt', ref.name] as const) : (['resource', ref.uri] as const)
    const seen = offeredTo(call, baseUrl)[kind]
    const entry = seen.get(name)
    if (entry === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownName(kind, name, seen.keys()))
    const found = entry.arguments.find((textArgument) => textArgument.argument === argument.name)
    if (found === undefined) {
      const known = entry.arguments.map((textArgument) => textArgument.argument)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownName('argument', argument.name, known))
    }
    const completing = runs.get(found)
    if (completing === undefined) return valuesIn(found.values ?? [], argument.value)
    return completedBy(completing, {
      ...call,
      args: { ...context?.arguments, [argument.name]: argument.value },
    })
  }
}

type Entry = Pick<PromptEntry, 'arguments'>

interface OfferedByName {
  readonly prompt: ReadonlyMap<string, Entry>
  readonly resource: ReadonlyMap<string, Entry>
}

/** Made once for each set of permissions. */
const byView = new WeakMap<object, OfferedByName>()

/** What the caller may see: all else does not exist for it. */
function offeredTo({ client }: Pick<TextCall, 'client'>, baseUrl: string): OfferedByName {
  const { catalogue } = client.permission.view
  const known = byView.get(catalogue)
  if (known !== undefined) return known
  const { prompts = [], resources = [] } = catalogue
  const offered = {
    prompt: new Map(prompts.map((entry) => [entry.name, entry])),
    resource: new Map(resources.map((entry) => [publicUri(entry.uri, baseUrl), entry])),
  }
  byView.set(catalogue, offered)
  return offered
}

/** What completes an argument, and what it takes. */
interface Completing {
  readonly run: RunText
  readonly taken: ReadonlySet<string>
}

function completingOf({ argument, completion: by }: TextArgument, prepare: PrepareText): Completing | null {
  if (by === null) return null
  const all = by.arguments.map((placedArgument) => ({
    ...placedArgument,
    required: placedArgument.argument === argument,
  }))
  const run = prepare({ name: by.route, route: by.route, toolbox: '', arguments: all }, returnedValue)
  return { run, taken: new Set(all.map((item) => item.argument)) }
}

/** Those that begin so, then those that hold it, without regard to case. */
function valuesIn(values: readonly string[], written: string): MethodAnswer {
  const wanted = written.toLowerCase()
  const begins = (value: string): boolean => value.toLowerCase().startsWith(wanted)
  const first = values.filter(begins)
  const others = values.filter((value) => !begins(value) && value.toLowerCase().includes(wanted))
  return completion([...first, ...others])
}

const completion = (values: readonly string[]): MethodAnswer => ({
  kind: 'result',
  result: {
    completion: {
      values: values.slice(0, maxValues),
      total: values.length,
      hasMore: values.length > maxValues,
    },
  },
})

/** The method is asked with what it takes; what else is chosen is not its business. */
async function completedBy({ run, taken }: Completing, call: TextCall): Promise<MethodAnswer> {
  const args = Object.fromEntries(Object.entries(call.args).filter(([name]) => taken.has(name)))
  const { answer, status } = await run({ ...call, args })
  if (answer.kind === 'refused') return answer
  if (answer.kind === 'input')
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'a completion cannot ask')
  const { contents } = answer
  if (contents.kind !== 'json') throw failedRun(firstText(contents.result), status)
  const values: unknown = JSON.parse(contents.text)
  return completion(Array.isArray(values) ? values.map(String) : [])
}
