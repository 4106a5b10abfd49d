/** Comma-separated values (RFC 4180), both ways. */
import { RulesBroken } from './errors.ts'

/** A line, with every cell in quotes. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map((cell) => `"${guarded(String(cell ?? '')).replaceAll('"', '""')}"`).join(',')}\r\n`
}

/** A spreadsheet runs what begins like a formula, and some begin a cell at `;` or at any line end: an apostrophe makes it a text. */
const guarded = (text: string): string => text.replace(/(?<=^|[;\r\n])(?=[=+\-@])|^(?=[\t\r\n])/g, () => "'")

/** The rows of `text`, each with the number of the line in which it begins; empty lines are left out. Throws `RulesBroken` at the
 *  first cell that cannot be read: from there on every cell could be another. */
export function csvRows(text: string): { readonly line: number; readonly cells: readonly string[] }[] {
  const cell = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n][^,\r\n]*|))(,|\r?\n|$)/y
  const rows: { line: number; cells: string[] }[] = []
  let line = 1
  let row: { line: number; cells: string[] } = { line, cells: [] }
  for (;;) {
    const match = cell.exec(text)
    if (match === null) throw new RulesBroken([{ path: 'file', message: `line ${line} cannot be read` }])
    const [, inQuotes, plain, end = ''] = match
    row.cells.push(inQuotes?.replaceAll('""', '"') ?? plain ?? '')
    line += (inQuotes?.match(/\n/g)?.length ?? 0) + (end.endsWith('\n') ? 1 : 0)
    if (end === ',') continue
    if (row.cells.some((cell) => cell !== '')) rows.push(row)
    if (end === '') return rows
    row = { line, cells: [] }
  }
}
