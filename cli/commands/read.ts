/** `acmcp read`: one resource, as a client reads it. */
import type { ResourceContent } from '../../runtime/serve/ask-endpoint.ts'
import { askOnce, shownText, textOfResource } from '../command-line/asking.ts'
import { type CallerFlags, type CallerOptions, callerOf, withCaller } from '../command-line/caller.ts'
import { type Add, addExamples, type CommandContext } from '../command-line/command.ts'

export const add: Add = (program, start) => {
  const command = withCaller(
    program
      .command('read')
      .description('read a resource without a server, bytes as they are; refused in production')
      .argument('<uri>', 'its address, or with a slash at its beginning a path of the application'),
  )
    .option('--json', 'print the whole result, bytes in base64')
    .allowExcessArguments(false)
    .action((uri: string, flags: CallerFlags) =>
      start((context) => {
        const options = { ...callerOf(flags, context), uri, write: context.write }
        return context.besideApplication(() => run(options))
      }),
    )
  addExamples(command, ['acmcp read trips://2', 'acmcp read /trips/2/photo --json'])
}

interface ReadOptions extends CallerOptions, Pick<CommandContext, 'write'> {
  /** One that begins with a slash continues the application's address. */
  readonly uri: string
}

/** The exit code: 1 when nothing was read, 2 when there is no such scope. */
export function run(options: ReadOptions): Promise<0 | 1 | 2> {
  const { uri, env, isPrintedToTerminal, print, write } = options
  return askOnce(options, {
    name: 'read',
    ask: (_, baseUrl) => ({
      method: 'resources/read',
      params: { uri: uri.startsWith('/') ? new URL(baseUrl).origin + uri : uri },
    }),
    show: ({ contents }) => {
      for (const content of contents) {
        if (isPrintedToTerminal) print(shownText(textOfResource(content), options))
        else write(bytesOf(content))
      }
      return true
    },
    refused: (why, { offersFor }) => {
      const { resources, templates } = offersFor(null, env).resources
      return resources.length + templates.length === 0
        ? 'there are no resources: @mcp resource makes one of a GET route'
        : `${uri} was not read: ${why}; acmcp resources lists them`
    },
  })
}

/** A file or a program gets what the route answered. */
const bytesOf = ({ text, blob }: ResourceContent): Uint8Array =>
  blob === undefined ? Buffer.from(text ?? '') : Buffer.from(blob, 'base64')
