/** `acmcp read`: one resource, as a client reads it. */
import type { ResourceContent } from '../../runtime/serve/ask-endpoint.ts'
import { addRequest, shownText, textOfResource, withCaller } from '../command-line/add-request.ts'
import type { Add } from '../command-line/command.ts'

export const place = 530

export const add: Add = (program, start) => {
  const command = withCaller(
    program
      .command('read')
      .description('read a resource without a server, bytes as they are; refused in production')
      .argument('<uri>', 'its address, or with a slash at its beginning a path of the application'),
  ).option('--json', 'print the whole result, bytes in base64')
  addRequest<'resources/read', [uri: string]>(command, start, {
    examples: ['acmcp read trips://2', 'acmcp read /trips/2/photo --json'],
    method: 'resources/read',
    params: ({ baseUrl }, uri) => ({ uri: uri.startsWith('/') ? new URL(baseUrl).origin + uri : uri }),
    show({ contents }, options) {
      for (const content of contents) {
        if (options.isTerminal) options.print(shownText(textOfResource(content), options))
        else options.write(bytesOf(content))
      }
      return true
    },
    refused(why, { build, env }, uri) {
      const { resources, templates } = build.offersFor(null, env).resources
      return resources.length + templates.length === 0
        ? 'there are no resources: @mcp resource makes one of a GET route'
        : `${uri} was not read: ${why}; acmcp resources lists them`
    },
  })
}

/** A file or a program gets what the route answered. */
const bytesOf = ({ text, blob }: ResourceContent): Uint8Array =>
  blob === undefined ? Buffer.from(text ?? '') : Buffer.from(blob, 'base64')
