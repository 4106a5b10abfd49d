/** `acmcp call`: one tool call; prints what the client gets. */
import type { LastBuild } from '../../runtime/serve/last-build.ts'
import { addRequest, shownText, textOfContent, withCaller } from '../command-line/add-request.ts'
import { toArguments } from '../command-line/call-arguments.ts'
import type { Add, CommandContext } from '../command-line/command.ts'

export const place = 510

export const add: Add = (program, start) => {
  const command = withCaller(
    program
      .command('call')
      .description('call a tool through the whole application, without a server; refused in production')
      .argument('<tool>', 'its name')
      .argument('[argument...]', 'name=value, or name:=json'),
  ).option('--json', 'print the whole result, structured content included')
  addRequest<'tools/call', [tool: string, assignments: readonly string[]]>(command, start, {
    examples: [
      'acmcp call notes_create text="Buy milk"',
      'acmcp call orders_search limit=5 \'tags:=["new"]\' --as ada --json',
    ],
    method: 'tools/call',
    params({ build: { lists } }, tool, assignments) {
      const schema = [...lists.all, ...lists.root].find(({ name }) => name === tool)?.inputSchema
      return { name: tool, arguments: toArguments(assignments, schema ?? {}) }
    },
    show({ content, isError = false }, options, tool) {
      for (const item of content) options.print(shownText(textOfContent(item), options))
      if (isError) options.warn(`acmcp: ${tool} failed (isError)`)
      return !isError
    },
    refused: (why, { build, env }, tool) => `${tool} was not called: ${otherwise(tool, build, env) ?? why}`,
  })
}

/** How to ask for what is no tool. */
function otherwise(name: string, { lists, offersFor }: LastBuild, env: CommandContext['env']): string | null {
  if ([...lists.all, ...lists.root].some((tool) => tool.name === name)) return null
  const isPrompt = offersFor(null, env).prompts.some((prompt) => prompt.name === name)
  if (isPrompt) return `it is a prompt: acmcp prompt ${name}`
  return /^[a-z][a-z0-9+.-]*:|^\//i.test(name) ? `for an address there is acmcp read ${name}` : null
}
