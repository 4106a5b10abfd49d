/** The lines of a source around a place that something is said about. */
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'

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

interface Mistake extends Pick<Diagnostic, 'severity' | 'code' | 'message' | 'hint'> {
  /** `app/config.ts:3:5`; null outside of the application's folder. */
  readonly place: string | null
  readonly frame: SourceFrame | null
}

const linesAround = 3

/** Diagnostics for a page, without anything that lies outside of the application's folder. `readFile` returns the text of a file of the application, or null. */
export function mistakesOf(
  diagnostics: readonly Diagnostic[],
  readFile: (file: string) => string | null,
): readonly Mistake[] {
  return diagnostics.map(({ severity, code, message, hint, at }) => {
    const isInside = !/^(\.\.|[/\\]|[a-z]:)/i.test(at.file)
    const source = isInside ? readFile(at.file) : null
    return {
      severity,
      code,
      message,
      hint,
      place: isInside ? `${at.file}:${at.line}:${at.column}` : null,
      frame: source === null ? null : sourceFrame(source, at, linesAround),
    }
  })
}
