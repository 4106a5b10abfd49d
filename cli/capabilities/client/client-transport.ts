/** The part of a typed client that is the same for every application: `templates/client/`, as one text. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** From `dist/cli/capabilities/client/` in the package. */
export const clientFolder: string = fileURLToPath(new URL('../../../../templates/client', import.meta.url))

/** What users see comes first, and alone is exported. */
const files = [
  'public',
  'operation',
  'methods',
  'approval',
  'retries',
  'request',
  'answer',
  'body',
  'reader',
  'scalars',
  'text',
]

let text: string | null = null

/** Read once a process. */
export function clientTransport(): string {
  text ??= files
    .map((name) => partOf(readFileSync(`${clientFolder}/${name}.ts`, 'utf8'), name === 'public'))
    .join('\n')
  return text
}

/** Without its head: in one file nothing is imported. */
function partOf(source: string, isPublic: boolean): string {
  const body = source.replace(/^\/\*\*[\s\S]*?\*\/\n/, '').replace(/^import [\s\S]*? from '.*'\n/gm, '')
  return (isPublic ? body : body.replace(/^export /gm, '')).trimStart()
}
