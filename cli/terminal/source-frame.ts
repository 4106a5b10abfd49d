/** The lines of a source around a place that something is said about. */

export interface SourceFrame {
  readonly lines: readonly { readonly number: number; readonly text: string }[]
  /** Which of them it is. */
  readonly line: number
  /** How many characters stand before the place. */
  readonly indent: number
}

/** How much of a line is shown, and how much of that before the place. */
const maxShown = 110
const maxBefore = 79

/** The line and up to `around` before and after it, without a blank edge; long lines are cut around the place, and tabs stay one column wide. Null
 *  when there is nothing in that line. */
export function sourceFrame(
  source: string,
  { line, column }: { readonly line: number; readonly column: number },
  around: number,
): SourceFrame | null {
  const all = source.split('\n')
  if ((all[line - 1] ?? '').trim() === '') return null
  const from = Math.max(0, column - 1 - maxBefore)
  const first = Math.max(1, line - around)
  const lines = all.slice(first - 1, line + around).map((text, index) => ({
    number: first + index,
    text: text
      .replace(/\r$/, '')
      .replaceAll('\t', ' ')
      .slice(from, from + maxShown),
  }))
  return { lines: withoutBlankEdges(lines), line, indent: column - 1 - from }
}

function withoutBlankEdges(lines: SourceFrame['lines']): SourceFrame['lines'] {
  const isFilled = ({ text }: SourceFrame['lines'][number]): boolean => text.trim() !== ''
  return lines.slice(lines.findIndex(isFilled), lines.findLastIndex(isFilled) + 1)
}
