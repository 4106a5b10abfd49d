/** Commands that list what the store has: a table for people, one JSON document for programs. */
import { type Command, Option } from 'commander'
import type { LimitedList, LiveGrant, RevokedGrants } from '../../runtime/serve/tasks/access-tasks.ts'
import { printableInLine, type TableStyle, tableLines, timeText, withTimes } from '../terminal/table.ts'
import { addCommand, type JsonFlag, printResult } from './add-command.ts'
import { toRows } from './argument-types.ts'
import type { CommandContext, Start } from './command.ts'

/** The cells of a row, by the heading of their column. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string>>

export interface ListWork<Flags, Item> {
  readonly examples: readonly string[]
  /** Of the list in the JSON document. */
  readonly name: string
  rows(options: CommandContext & Flags & LimitFlag): Promise<LimitedList<Item>>
  readonly columns: Columns<Item>
}

interface LimitFlag {
  readonly limit: number
}

/** The store returns a whole list: its rows are capped. */
const maxListed = 100_000

export const withLimit = (command: Command): Command =>
  command.addOption(
    new Option('--limit <rows>', 'the first so many: 1,000, unless told otherwise')
      .argParser(toRows(maxListed))
      .default(1000, '1,000'),
  )

/** Lists the first rows, and says when there are more. */
export function addList<Item extends object, Flags extends object = object>(
  command: Command,
  start: Start,
  { examples, name, rows, columns }: ListWork<Flags, Item>,
): void {
  addCommand<Flags & LimitFlag & JsonFlag>(command, start, {
    examples,
    async run(options) {
      const { items, isCut } = await rows(options)
      const document = { [name]: items.map(withTimes), ...(isCut ? { more: true } : {}) }
      printResult(options, document, tableOf(items, columns, options))
      if (isCut)
        options.warn(`acmcp: there are more: these are the first ${items.length}; --limit lists more`)
      return 0
    },
  })
}

export const tableOf = <Item>(
  items: readonly Item[],
  columns: Columns<Item>,
  style: TableStyle,
): readonly string[] =>
  tableLines(
    Object.keys(columns),
    items.map((item) => cellsOf(item, columns)),
    style,
  )

export const cellsOf = <Item>(item: Item, columns: Columns<Item>): readonly string[] =>
  Object.values(columns).map((cell) => printableInLine(cell(item)))

export const grantColumns: Columns<LiveGrant> = {
  GRANT: ({ grantId }) => grantId,
  USER: ({ user }) => user.id,
  CLIENT: ({ client }) => client.id,
  NAME: ({ client }) => client.name ?? '',
  SCOPE: ({ allowed, scope }) => allowed?.join(' ') ?? scope,
  KIND: ({ kind }) => kind ?? '',
  SINCE: ({ connectedAt }) => timeText(connectedAt),
  'LAST USED': ({ lastUsedAt }) => timeText(lastUsedAt),
}

/** Shows the connections that ended; the exit code: 1 when running servers could not be told. */
export function showRevoked(
  options: CommandContext & JsonFlag,
  { grants, count, isAnnounced }: RevokedGrants,
): 0 | 1 {
  const isCut = count > grants.length
  const document = { revoked: grants.map(withTimes), ...(isCut ? { more: true } : {}) }
  printResult(options, document, tableOf(grants, grantColumns, options))
  if (isCut) options.warn(`acmcp: ${count} connections have ended: these are the first ${grants.length}`)
  if (isAnnounced) return 0
  options.warn('acmcp: access has ended, but running servers could not be told: streams end within a minute')
  return 1
}
