/** What is wrong with the application, as the page of `acmcp dev` shows it. */
import type { Diagnostic } from '../../compiler/diagnostics/source-diagnostics.ts'
import { type SourceFrame, sourceFrame } from '../../terminal/source-frame.ts'

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
