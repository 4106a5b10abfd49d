/** `acmcp prompt`: the messages of one prompt, as a client gets them. */
import { CommandFailure } from '../command-line/add-command.ts'
import { addRequest, shownText, textOfContent, withCaller } from '../command-line/add-request.ts'
import { toArguments } from '../command-line/call-arguments.ts'
import type { Add } from '../command-line/command.ts'

export const place = 520

export const add: Add = (program, start) => {
  const command = withCaller(
    program
      .command('prompt')
      .description('print the messages of a prompt, asked for without a server; refused in production')
      .argument('<prompt>', 'its name')
      .argument('[argument...]', 'name=value'),
  ).option('--json', 'print the whole result')
  addRequest<'prompts/get', [name: string, assignments: readonly string[]]>(command, start, {
    examples: ['acmcp prompt trips_plan city=Bern', 'acmcp prompt trips_plan city=Bern --as ada --json'],
    method: 'prompts/get',
    params(_, name, assignments) {
      const json = assignments.find((assignment) => /^[^=]*:=/.test(assignment))
      if (json !== undefined)
        throw new CommandFailure(`${json}: arguments of prompts are texts, write name=value`, 2)
      return { name, arguments: toArguments(assignments, {}) }
    },
    show({ messages }, options) {
      const isOne = messages.length === 1 && messages[0]?.role === 'user'
      for (const { role, content } of messages) {
        const text = shownText(textOfContent(content), options)
        options.print(isOne ? text : `${role}: ${text}`)
      }
      return true
    },
    refused: (why, { build, env }, name) =>
      build.offersFor(null, env).prompts.length === 0
        ? 'there are no prompts: @mcp prompt makes one'
        : `${name} was not asked: ${why}`,
  })
}
