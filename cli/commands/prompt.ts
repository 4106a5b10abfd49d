/** `acmcp prompt`: the messages of one prompt, as a client gets them. */
import { askOnce, shownText, textOfContent } from '../command-line/asking.ts'
import { toArguments } from '../command-line/call-arguments.ts'
import { type CallerFlags, type CallerOptions, callerOf, withCaller } from '../command-line/caller.ts'
import { type Add, addExamples } from '../command-line/command.ts'

export const add: Add = (program, start) => {
  const command = withCaller(
    program
      .command('prompt')
      .description('print the messages of a prompt, asked for without a server; refused in production')
      .argument('<prompt>', 'its name')
      .argument('[argument...]', 'name=value'),
  )
    .option('--json', 'print the whole result')
    .action((prompt: string, assignments: readonly string[], flags: CallerFlags) =>
      start((context) =>
        context.besideApplication(() => run({ ...callerOf(flags, context), prompt, assignments })),
      ),
    )
  addExamples(command, [
    'acmcp prompt trips_plan city=Bern',
    'acmcp prompt trips_plan city=Bern --as ada --json',
  ])
}

interface PromptOptions extends CallerOptions {
  readonly prompt: string
  /** `name=value` */
  readonly assignments: readonly string[]
}

/** The exit code: 1 when there are no messages, 2 when an argument is not written as one, or there is no such scope. */
export function run(options: PromptOptions): Promise<0 | 1 | 2> {
  const { prompt: name, assignments, env, print } = options
  return askOnce(options, {
    name: 'prompt',
    ask: () => {
      const json = assignments.find((assignment) => /^[^=]*:=/.test(assignment))
      if (json !== undefined) return `${json}: arguments of prompts are texts, write name=value`
      const args = toArguments(assignments, {})
      return typeof args === 'string' ? args : { method: 'prompts/get', params: { name, arguments: args } }
    },
    show: ({ messages }) => {
      const isOne = messages.length === 1 && messages[0]?.role === 'user'
      for (const { role, content } of messages) {
        const text = shownText(textOfContent(content), options)
        print(isOne ? text : `${role}: ${text}`)
      }
      return true
    },
    refused: (why, { offersFor }) =>
      offersFor(null, env).prompts.length === 0
        ? 'there are no prompts: @mcp prompt makes one'
        : `${name} was not asked: ${why}`,
  })
}
