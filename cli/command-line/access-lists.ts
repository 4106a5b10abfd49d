/** What `grants`, `clients`, `users` and `sessions` have in common: access in the operator's hand, in tables or as JSON. */
import { type Command, Option } from 'commander'
import type { LimitedList, LiveGrant, RevokedGrants } from '../../runtime/serve/tasks/access-tasks.ts'
import {
  jsonDocument,
  printableInLine,
  type TableStyle,
  tableLines,
  timeText,
  withTimes,
} from '../terminal/table.ts'
import { toRows } from './argument-types.ts'
import type { CommandContext } from './command.ts'

export interface AccessCommandOptions
  extends TableStyle,
    Pick<CommandContext, 'cwd' | 'env' | 'print' | 'warn'> {
  readonly json: boolean
}

export const withJson = (command: Command): Command =>
  command.option('--json', 'print one JSON document').allowExcessArguments(false)

/** Lists are held whole. */
const maxListed = 100_000

export const withLimit = (command: Command): Command =>
  command.addOption(
    new Option('--limit <rows>', 'the first so many: 1,000, unless told otherwise')
      .argParser(toRows(maxListed))
      .default(1000, '1,000'),
  )

export interface Table<Item> {
  readonly heading: readonly string[]
  cells(item: Item): readonly string[]
}

/** Shows a list, and says when there are more. */
export function showFirst<Item extends object>(
  options: AccessCommandOptions,
  name: string,
  { items, isCut }: LimitedList<Item>,
  table: Table<Item>,
): void {
  show(options, name, items, table, isCut ? { more: true } : {})
  if (isCut) options.warn(`acmcp: there are more: these are the first ${items.length}; --limit lists more`)
}

function show<Item extends object>(
  options: AccessCommandOptions,
  name: string,
  items: readonly Item[],
  table: Table<Item>,
  further: object = {},
): void {
  const { json, isTerminal, print } = options
  if (json) {
    print(jsonDocument({ [name]: items.map(withTimes), ...further }, isTerminal))
    return
  }
  const rows = items.map((item) => table.cells(item).map(printableInLine))
  for (const line of tableLines(table.heading, rows, options)) print(line)
}

export const grantTable: Table<LiveGrant> = {
  heading: ['GRANT', 'USER', 'CLIENT', 'NAME', 'SCOPE', 'KIND', 'SINCE', 'LAST USED'],
  cells: ({ grantId, user, client, scope, allowed, kind, connectedAt, lastUsedAt }) => [
    grantId,
    user.id,
    client.id,
    client.name ?? '',
    allowed?.join(' ') ?? scope,
    kind ?? '',
    timeText(connectedAt),
    timeText(lastUsedAt),
  ],
}

/** Shows the connections that ended; the exit code: 1 when running servers could not be told. */
export function showRevoked(
  options: AccessCommandOptions,
  { grants, count, isAnnounced }: RevokedGrants,
): 0 | 1 {
  show(options, 'revoked', grants, grantTable, count > grants.length ? { more: true } : {})
  if (count > grants.length)
    options.warn(`acmcp: ${count} connections have ended: these are the first ${grants.length}`)
  if (isAnnounced) return 0
  options.warn('acmcp: access has ended, but running servers could not be told: streams end within a minute')
  return 1
}
