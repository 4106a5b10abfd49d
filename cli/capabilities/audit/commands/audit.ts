/** `acmcp audit`: the acts of users and clients. Holds one page of rows at a time, and never loads the compiler. */
import { Option } from 'commander'
import type { AuditFilter, AuditRecord } from '../../../../runtime/capabilities/audit/operator.ts'
import { withEnvFile } from '../../../command-line/add-command.ts'
import { type Columns, cellsOf } from '../../../command-line/add-list.ts'
import { toRows, toTime } from '../../../command-line/argument-types.ts'
import { type Add, addExamples, type CommandContext } from '../../../command-line/command.ts'
import { onStop } from '../../../command-line/stopping.ts'
import { jsonDocument, type TableStyle, tablePages, timeText, withTimes } from '../../../terminal/table.ts'

/** As the rows have them; one that is lacking does not compile. */
const auditEvents: Readonly<Record<AuditRecord['event'], true>> = {
  'tool-call': true,
  request: true,
  registration: true,
  'client-removal': true,
  'sign-in': true,
  'sign-out': true,
  consent: true,
  issue: true,
  refresh: true,
  reuse: true,
  refusal: true,
  revocation: true,
  approval: true,
  idempotency: true,
  block: true,
  unblock: true,
  erasure: true,
}

export const place = 360

export const add: Add = (program, start) => {
  const command = program
    .command('audit')
    .description('list tool calls and changes of access: who, through which client, what came of it')
    .option('--user <id>', 'only of this user')
    .option('--client <id>', 'only of this client')
    .option('--tool <name>', 'only of this tool')
    .addOption(new Option('--event <event>', 'only of this kind').choices(Object.keys(auditEvents)))
    .option('--since <time>', 'only since then: a date, a time, or how long ago as 24h or 7d', toTime)
    .option('--limit <rows>', 'the newest so many: 100, unless told otherwise', toRows(1_000_000), 100)
    .option('--follow', 'go on with what is recorded from now on, until Ctrl+C')
    .option('--json', 'print one JSON object a line for each row, with grants, ids and digests')
    .allowExcessArguments(false)
    .action((flags: AuditFlags) => start((context) => runInProcess(flags, context)))
  addExamples(command, [
    'acmcp audit --user google:117 --since 7d',
    'acmcp audit --tool notes_remove --json --follow',
  ])
}

export interface AuditFlags {
  readonly user?: string
  readonly client?: string
  readonly tool?: string
  readonly event?: string
  /** Milliseconds since the epoch. */
  readonly since?: number
  readonly limit: number
  readonly follow?: boolean
  readonly json?: boolean
}

/** On standard output. The reader may leave: then what is written next ends it. */
function runInProcess(flags: AuditFlags, context: CommandContext): Promise<0 | 1> {
  const ended = new AbortController()
  const end = (): void => ended.abort()
  process.stdout.once('error', end)
  if (flags.follow === true) onStop(end)
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => process.stdout.write(text, () => resolve()))
  return run(flags, { ...context, write, ended: ended.signal })
}

export interface AuditOptions extends TableStyle, Pick<CommandContext, 'cwd' | 'env' | 'warn'> {
  /** Resolves when there is room for more. */
  readonly write: (text: string) => Promise<unknown>
  /** No more is wanted: a signal, or the reader has left. */
  readonly ended: AbortSignal
}

/** Lists rows, and with `--follow` goes on until `ended`; the exit code: 1 when it was refused, after a clear line. */
export function run(flags: AuditFlags, options: AuditOptions): Promise<0 | 1> {
  return withEnvFile(options.cwd, options.warn, async () => {
    const { auditPages } = await import('../../../../runtime/capabilities/audit/operator.ts')
    const { follow = false, limit, json = false, ...filter } = flags
    const query = { filter: filter satisfies AuditFilter, limit, follow: follow ? options.ended : null }
    const linesOf = json ? jsonLines : tableOf(options)
    const write = async (rows: readonly AuditRecord[]): Promise<void> => {
      const lines = linesOf(rows)
      if (lines.length > 0) await options.write(`${lines.join('\n')}\n`)
    }
    for await (const page of auditPages(options, query)) {
      await write(page)
      if (options.ended.aborted) break
    }
    return 0
  })
}

const jsonLines = (rows: readonly AuditRecord[]): readonly string[] =>
  rows.map((row) => jsonDocument(withTimes(row), false))

function tableOf(style: TableStyle): (rows: readonly AuditRecord[]) => readonly string[] {
  const page = tablePages(Object.keys(columns), style)
  return (rows) => page(rows.map((row) => cellsOf(row, columns)))
}

const columns: Columns<AuditRecord> = {
  TIME: ({ at }) => timeText(at),
  EVENT: ({ event }) => event,
  USER: ({ user }) => user ?? '',
  CLIENT: ({ client }) => client ?? '',
  NAME: ({ clientName }) => clientName ?? '',
  'TOOL OR ROUTE': ({ tool, route }) => tool ?? route ?? '',
  DECISION: ({ decision }) => String(decision ?? ''),
  STATUS: ({ status }) => String(status ?? ''),
  RESULT: ({ isError }) => (isError === null ? '' : isError ? 'error' : 'ok'),
  MS: ({ milliseconds }) => milliseconds?.toFixed(0) ?? '',
  DETAIL: ({ detail }) =>
    Object.entries(detail ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
}
