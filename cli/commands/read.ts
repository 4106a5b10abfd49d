/** `acmcp read`: one resource, as a client reads it. */
import type { ResourceContent } from '../../runtime/serve/ask-endpoint.ts'
import { type AskOptions, askOnce, shownText, textOfResource } from './asking.ts'

export interface ReadOptions extends AskOptions {
  /** One that begins with a slash continues the application's address. */
  readonly uri: string
  /** Writes what no line is added to. */
  readonly write: (bytes: Uint8Array) => void
}

/** The exit code: 1 when nothing was read, 2 when there is no such scope. */
export function readResource(options: ReadOptions): Promise<0 | 1 | 2> {
  const { uri, env, isPrintedToTerminal, print, write } = options
  return askOnce(options, {
    name: 'read',
    ask: (_, baseUrl) => ({
      method: 'resources/read',
      params: { uri: uri.startsWith('/') ? new URL(baseUrl).origin + uri : uri },
    }),
    show: ({ contents }) => {
      for (const one of contents) {
        if (isPrintedToTerminal) print(shownText(textOfResource(one), options))
        else write(bytesOf(one))
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
