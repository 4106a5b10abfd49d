/** The rules of names that clients have (`cli/dialects/clients.ts`), beyond those that the compiler makes true by itself. Source:
 *  decisions/mcp.md, Clients' dialects. */
import { maxServerAndToolName } from '../../../dialects/clients.ts'
import { createMemos, type Memos, memo } from '../../cache/memoize.ts'
import { nameTooLong, sameNames } from '../../diagnostics/name-diagnostics.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import type { Model } from '../../ir/model.ts'
import { safeName } from '../../ir/safe-names.ts'
import type { WrittenSetting } from '../../ir/source-model.ts'
import { type ToolFacts, toolsOf } from '../../schema/tools.ts'

/** Names that would be equal, and those that no client takes. */
export function checkClientNames(
  { controllers, schemas }: Model,
  settings: WrittenSetting | null,
  memos: Memos = createMemos(),
): readonly Diagnostic[] {
  const serverName = serverNameIn(settings)
  return controllers.flatMap((controller) => {
    const make = (): readonly Diagnostic[] => {
      const tools = toolsOf(memos, controller, schemas)
      return [...tools.flatMap(wrongNames), ...tools.flatMap((facts) => tooLong(facts, serverName))]
    }
    return keepFound(memos, controller, schemas, { context: serverName, make })
  })
}

const keepFound = memo<readonly Diagnostic[]>()

function wrongNames({ action, tool, clashes }: ToolFacts): readonly Diagnostic[] {
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
function tooLong({ action, tool }: ToolFacts, serverName: string): readonly Diagnostic[] {
  const room = maxServerAndToolName - serverName.length - 1
  return tool.name.length <= room || tool.name.length > longestName
    ? []
    : [nameTooLong(action.at, tool.name, tool.name.length, Math.max(room, 0))]
}

/** A longer one is refused by itself. */
const longestName = 64

const defaultServerName = 'acmcp'

/** What is not written as a literal is not seen: the shortest is meant. */
function serverNameIn(settings: WrittenSetting | null): string {
  const written = fieldOf(fieldOf(settings, 'mcp'), 'serverName')
  return written?.kind === 'plain' && typeof written.value === 'string' ? written.value : defaultServerName
}

const fieldOf = (written: WrittenSetting | null, field: string): WrittenSetting | null =>
  written?.kind === 'object' ? (written.fields.find(({ name }) => name === field)?.value ?? null) : null
