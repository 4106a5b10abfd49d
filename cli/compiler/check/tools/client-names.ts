/** The rules of names that clients have (`cli/dialects/clients.ts`), beyond those that the compiler makes true by itself. Source:
 *  decisions/mcp.md, Clients' dialects. */
import { maxServerAndToolName } from '../../../dialects/clients.ts'
import { nameTooLong, sameNames } from '../../diagnostics/name-diagnostics.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import { safeName } from '../../ir/safe-names.ts'
import type { WrittenSetting } from '../../ir/source-model.ts'
import type { ToolView } from '../../schema/tools.ts'
import type { Subject } from '../controller-rules.ts'

/** Names that would be equal, and those that no client takes. */
export const clientsTakeNames = ({ tools, serverName }: Subject): readonly Diagnostic[] => [
  ...tools.flatMap(wrongNames),
  ...tools.flatMap((view) => tooLong(view, serverName)),
]

function wrongNames({ action, tool, clashes }: ToolView): readonly Diagnostic[] {
  const first = new Map<string, string>()
  const args = tool.arguments.flatMap(({ argument, param: { at, wireName } }) => {
    const other = first.get(argument)
    if (other !== undefined) return [sameNames(at, tool.name, argument, quoted([other, wireName], ' and '))]
    first.set(argument, wireName)
    return []
  })
  const below = clashes.map((names) =>
    sameNames(action.at, tool.name, safeName(names[0] ?? ''), quoted(names, ' and ')),
  )
  return [...args, ...below]
}

const quoted = (names: readonly string[], joint: string): string =>
  names.map((name) => `'${name}'`).join(joint)

/** The name of the server is the client's to choose: most take the one that the server has. */
function tooLong({ action, tool }: ToolView, serverName: string): readonly Diagnostic[] {
  const room = maxServerAndToolName - serverName.length - 1
  return tool.name.length <= room || tool.name.length > longestName
    ? []
    : [nameTooLong(action.at, tool.name, tool.name.length, Math.max(room, 0))]
}

/** A longer one is refused by itself. */
const longestName = 64

const defaultServerName = 'acmcp'

/** What is not written as a literal is not seen: the shortest is meant. */
export function serverNameIn(settings: WrittenSetting | null): string {
  const written = fieldOf(fieldOf(settings, 'mcp'), 'serverName')
  return written?.kind === 'plain' && typeof written.value === 'string' ? written.value : defaultServerName
}

const fieldOf = (written: WrittenSetting | null, field: string): WrittenSetting | null =>
  written?.kind === 'object' ? (written.fields.find(({ name }) => name === field)?.value ?? null) : null
