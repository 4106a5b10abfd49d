/** `acmcp audit`: who did what. Holds one page of rows at a time, and never loads the compiler. */
import type { AuditFilter, AuditRecord } from '../../runtime/serve/tasks/audit-task.ts'
import {
  jsonDocument,
  printableInLine,
  type TableStyle,
  tablePages,
  timeText,
  withTimes,
} from '../terminal/table.ts'
import type { AuditFlags } from './flags.ts'
import { withEnvFile } from './refusal.ts'

export interface AuditCommandOptions extends TableStyle {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Resolves when there is room for more. */
  readonly write: (text: string) => Promise<unknown>
  readonly warn: (line: string) => void
  /** Nobody wants more: a signal, or who read has left. */
  readonly ended: AbortSignal
}

/** On standard output. Whoever reads may leave: then what is written next ends it. */
export function auditOfProcess(
  flags: AuditFlags,
  options: Omit<AuditCommandOptions, 'write' | 'ended'>,
): Promise<0 | 1> {
  const ended = new AbortController()
  const end = (): void => ended.abort()
  process.stdout.once('error', end)
  if (flags.follow === true) for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end)
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => process.stdout.write(text, () => resolve()))
  return auditCommand(flags, { ...options, write, ended: ended.signal })
}

/** Lists rows, and with `--follow` goes on until `ended`; the exit code: 1 when it was refused, after a clear line. */
export function auditCommand(flags: AuditFlags, options: AuditCommandOptions): Promise<0 | 1> {
  return withEnvFile(options.cwd, options.warn, async () => {
    const { auditPages } = await import('../../runtime/serve/tasks/audit-task.ts')
    const { follow = false, limit, json = false, ...filter } = flags
    const asked = { filter: filter satisfies AuditFilter, limit, follow: follow ? options.ended : null }
    const linesOf = json ? jsonLines : tableOf(options)
    const write = async (rows: readonly AuditRecord[]): Promise<void> => {
      const lines = linesOf(rows)
      if (lines.length > 0) await options.write(`${lines.join('\n')}\n`)
    }
    for await (const page of auditPages(options, asked)) {
      await write(page)
      if (options.ended.aborted) break
    }
    return 0
  })
}

const jsonLines = (rows: readonly AuditRecord[]): readonly string[] =>
  rows.map((row) => jsonDocument(withTimes(row), false))

function tableOf(style: TableStyle): (rows: readonly AuditRecord[]) => readonly string[] {
  const page = tablePages(heading, style)
  return (rows) => page(rows.map((row) => cellsOf(row).map(printableInLine)))
}

const heading = [
  ...['TIME', 'EVENT', 'USER', 'CLIENT', 'NAME', 'TOOL OR ROUTE'],
  ...['DECISION', 'STATUS', 'RESULT', 'MS', 'DETAIL'],
]

const cellsOf = (row: AuditRecord): readonly string[] => [
  timeText(row.at),
  row.event,
  row.user ?? '',
  row.client ?? '',
  row.clientName ?? '',
  row.tool ?? row.route ?? '',
  String(row.decision ?? ''),
  String(row.status ?? ''),
  row.isError === null ? '' : resultText(row.isError),
  row.milliseconds?.toFixed(0) ?? '',
  Object.entries(row.detail ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(' '),
]

const resultText = (isError: boolean): string => (isError ? 'error' : 'ok')
