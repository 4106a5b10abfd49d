/** Rows for people and for programs. */

/** How the lines are read: on a terminal columns stand below each other under a heading; in a pipe the heading and every row
 *  are a line with a tab between the cells. */
export interface TableStyle {
  readonly isTerminal: boolean
  /** Escape sequences. */
  readonly colour: boolean
}

type Row = readonly string[]

export const tableLines = (heading: Row, rows: readonly Row[], style: TableStyle): readonly string[] =>
  tablePages(heading, style)(rows)

/** The lines of one page of rows after another, the first under the heading. A column grows with what comes. */
export function tablePages(
  heading: Row,
  { isTerminal, colour }: TableStyle,
): (rows: readonly Row[]) => readonly string[] {
  let widths: readonly number[] = heading.map(() => 0)
  let isFirst = true
  const line = (row: Row): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return (rows) => {
    const above = isFirst ? [heading] : []
    isFirst = false
    if (!isTerminal) return [...above, ...rows].map((row) => row.join('\t'))
    widths = widths.map((width, column) =>
      [...above, ...rows].reduce((widest, row) => Math.max(widest, (row[column] ?? '').length), width),
    )
    return [...above.map((row) => bold(line(row), colour)), ...rows.map(line)]
  }
}

export const bold = (text: string, colour: boolean): string =>
  colour && text !== '' ? `\u001b[1m${text}\u001b[0m` : text

/** A JSON document: laid out for people, else on one line. */
export const jsonDocument = (value: unknown, isTerminal: boolean): string =>
  JSON.stringify(value, null, isTerminal ? 2 : 0).replace(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, escaped)

/** As JSON has it: what JSON leaves as it is a terminal may obey. */
const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** A terminal obeys control characters, whatever their sender, and turns writing around. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}](?<![\n\t])/gu, '?')

/** For a text of a stranger within a line of ours: it begins no other line and no other cell, turns no writing around and hides nothing. */
export const printableInLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{DI}\u2028\u2029]/gu, '?')

/** For a line of ours with texts of strangers: the styles that we print ourselves stay. */
export const printableWithStyles = (line: string): string =>
  line
    .split(ownStyle)
    .map((part, at) => (at % 2 === 0 ? printable(part) : part))
    .join('')

const esc = '\u001b'
const ownStyle = new RegExp(`(${esc}\\[(?:\\d|3[0-7])m)`)

/** A time in milliseconds since the epoch, for people and programs. */
export const timeText = (time: number | null): string => (time === null ? '' : new Date(time).toISOString())

/** Programs read times as texts. */
export const withTimes = (item: object): object =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      /^at$|At$/.test(name) && typeof value === 'number' ? timeText(value) : value,
    ]),
  )
