/** `acmcp build --client`: a build writes a typed client too. Where it lies every build keeps it up to date: a user who deletes it wants it
 *  no more. */
import { existsSync } from 'node:fs'
import type { BuildPart } from '../../build/build-options.ts'

const path = 'generated/client.ts'

export const part: BuildPart = {
  behind: '--typecheck',
  options: (option) => [
    option('--client', 'write a typed client too, generated/client.ts; later builds keep it up to date'),
  ],
  file: {
    path,
    isWanted: ({ cwd, flags = {} }) => 'client' in flags || existsSync(`${cwd}/${path}`),
    async load() {
      const { emitClient } = await import('./client.ts')
      const { clientFolder, clientTransport } = await import('./client-transport.ts')
      return { path, print: (model) => emitClient(model, clientTransport()), madeOf: clientFolder }
    },
  },
}
