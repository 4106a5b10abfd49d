/** An application of one controller that is edited. */
import { notesWith } from '../../cli/support/memory-host.ts'

export const notes = 'app/controllers/notes.ts'
export const controller = (...members: readonly string[]): string => notesWith(members.join(''))[notes] ?? ''

interface Differing {
  readonly answer?: string
  readonly get?: string
  readonly summary?: string
}

export const action = (
  name: string,
  { answer = 'one', get = '@get', summary = `Tells ${name}.` }: Differing = {},
): string => `
  /**
   * ${summary}
   *
   * ${get} /${name}
   */
  ${name}(): string {
    return '${answer}'
  }
`

/** The last lines of a start. */
export const announced: readonly string[] = [
  'acmcp serves http://localhost:PORT',
  '  MCP endpoint to paste into a client: http://localhost:PORT/mcp',
]
/** The headers of a browser. */
export const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
export const plain = 'text/plain; charset=utf-8'
