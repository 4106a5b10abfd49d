/** `acmcp call`: one tool call; prints what the client gets. */
import type { LastBuild } from '../../runtime/serve/last-build.ts'
import { type AskOptions, askOnce, shownText, textOfContent } from './asking.ts'
import { toArguments } from './call-arguments.ts'

export interface CallOptions extends AskOptions {
  readonly tool: string
  /** `name=value` or `name:=json`. */
  readonly given: readonly string[]
}

/** The exit code: 1 when the tool failed or none ran, 2 when an argument is not written as one, or there is no such scope. */
export function call(options: CallOptions): Promise<0 | 1 | 2> {
  const { tool, given, print, warn } = options
  return askOnce(options, {
    name: 'call',
    ask: ({ lists }) => {
      const schema = [...lists.all, ...lists.root].find(({ name }) => name === tool)?.inputSchema
      const args = toArguments(given, schema ?? {})
      return typeof args === 'string'
        ? args
        : { method: 'tools/call', params: { name: tool, arguments: args } }
    },
    show: ({ content, isError = false }) => {
      for (const one of content) print(shownText(textOfContent(one), options))
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
