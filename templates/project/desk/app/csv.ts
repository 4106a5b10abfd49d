/** Comma-separated values (RFC 4180), both ways. */

/** A line, with the cells that need it in quotes. A spreadsheet runs what begins like a formula: such a cell gets an apostrophe. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map((cell) => quoted(guarded(String(cell ?? '')))).join(',')}\r\n`
}

const guarded = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The rows of `text`, each with the number of the line in which it begins; empty lines are left out. */
export function csvRows(text: string): { readonly line: number; readonly cells: readonly string[] }[] {
  const rows: { line: number; cells: string[] }[] = []
  let line = 1
  let cells: string[] = []
  let begin = line
  for (const [, inQuotes, plain, end = ''] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n][^,\r\n]*|))(,|\r?\n|$)/g,
  )) {
    cells.push(inQuotes?.replaceAll('""', '"') ?? plain ?? '')
    line += (inQuotes?.match(/\n/g)?.length ?? 0) + (end.endsWith('\n') ? 1 : 0)
    if (end === ',') continue
    if (cells.some((cell) => cell !== '')) rows.push({ line: begin, cells })
    cells = []
    begin = line
  }
  return rows
}
