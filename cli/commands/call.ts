/** `acmcp call`: one tool call; prints what the client gets. */
import type { LastBuild } from '../../runtime/serve/last-build.ts'
import { askOnce, shownText, textOfContent } from '../command-line/asking.ts'
import { toArguments } from '../command-line/call-arguments.ts'
import { type CallerFlags, type CallerOptions, callerOf, withCaller } from '../command-line/caller.ts'
import { type Add, addExamples } from '../command-line/command.ts'

export const add: Add = (program, start) => {
  const command = withCaller(
    program
      .command('call')
      .description('call a tool through the whole application, without a server; refused in production')
      .argument('<tool>', 'its name')
      .argument('[argument...]', 'name=value, or name:=json'),
  )
    .option('--json', 'print the whole result, structured content included')
    .action((tool: string, assignments: readonly string[], flags: CallerFlags) =>
      start((context) =>
        context.besideApplication(() => run({ ...callerOf(flags, context), tool, assignments })),
      ),
    )
  addExamples(command, [
    'acmcp call notes_create text="Buy milk"',
    'acmcp call orders_search limit=5 \'tags:=["new"]\' --as ada --json',
  ])
}

export interface CallOptions extends CallerOptions {
  readonly tool: string
  /** `name=value` or `name:=json`. */
  readonly assignments: readonly string[]
}

/** The exit code: 1 when the tool failed or none ran, 2 when an argument is not written as one, or there is no such scope. */
export function run(options: CallOptions): Promise<0 | 1 | 2> {
  const { tool, assignments, print, warn } = options
  return askOnce(options, {
    name: 'call',
    ask: ({ lists }) => {
      const schema = [...lists.all, ...lists.root].find(({ name }) => name === tool)?.inputSchema
      const args = toArguments(assignments, schema ?? {})
      return typeof args === 'string'
        ? args
        : { method: 'tools/call', params: { name: tool, arguments: args } }
    },
    show: ({ content, isError = false }) => {
      for (const item of content) print(shownText(textOfContent(item), options))
      if (isError) warn(`acmcp: ${tool} failed (isError)`)
      return !isError
    },
    refused: (why, build) => `${tool} was not called: ${otherwise(tool, build, options) ?? why}`,
  })
}

/** How to ask for what is no tool. */
function otherwise(name: string, { lists, offersFor }: LastBuild, { env }: CallOptions): string | null {
  if ([...lists.all, ...lists.root].some((tool) => tool.name === name)) return null
  const isPrompt = offersFor(null, env).prompts.some((prompt) => prompt.name === name)
  if (isPrompt) return `it is a prompt: acmcp prompt ${name}`
  return /^[a-z][a-z0-9+.-]*:|^\//i.test(name) ? `for an address there is acmcp read ${name}` : null
}
