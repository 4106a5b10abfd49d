/** Shows diagnostics: as text with the line of the source, as JSON, or as annotations for GitHub Actions. */
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import { type SourceFrame, sourceFrame } from './source-frame.ts'

export type ReportFormat = 'text' | 'json' | 'github'

export interface ReportOptions {
  readonly format: ReportFormat
  /** Escape sequences for a terminal; text only. */
  readonly colour: boolean
  /** The text of a file of the application, or null. */
  readonly readFile: (file: string) => string | null
  /** Further fields of the JSON document. */
  readonly fields?: object
}

/** The lines to print for `diagnostics`; JSON is one line, also when there is none; text counts them on
 *  its last line, or on the one before it where an error stopped the build: the last says where to read on. */
export function report(diagnostics: readonly Diagnostic[], options: ReportOptions): readonly string[] {
  const { format, fields = {} } = options
  if (format === 'json') return [JSON.stringify({ diagnostics, ...fields })]
  if (format === 'github') return diagnostics.map(toAnnotation)
  const texts = diagnostics.map((diagnostic) => toText(diagnostic, options))
  const [first] = diagnostics.filter(({ severity }) => severity === 'error')
  const more = first === undefined ? [] : [explainLine(first.code)]
  return texts.length === 0 ? texts : [...texts, countsOf(diagnostics), ...more]
}

/** Where a code is explained. */
export const explainLine = (code: string): string => `acmcp explain ${code} tells more`

/** `2 errors, 1 warning` */
function countsOf(diagnostics: readonly Diagnostic[]): string {
  const parts = (['error', 'warning'] as const).flatMap((severity) => {
    const count = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length
    return count === 0 ? [] : [`${count} ${severity}${count === 1 ? '' : 's'}`]
  })
  return parts.join(', ')
}

const toAnnotation = ({ severity, code, message, hint, at }: Diagnostic): string =>
  annotation(severity, at, { title: code, text: `${message}\n${hint}` })

export type Severity = 'error' | 'warning' | 'notice'

/** A workflow command. Source: GitHub Actions, Workflow commands. */
export function annotation(
  severity: Severity,
  at: Diagnostic['at'] | null,
  { title, text }: { readonly title: string; readonly text: string },
): string {
  const place = at === null ? '' : `file=${property(at.file)},line=${at.line},col=${at.column},`
  return `::${severity} ${place}title=${property(title)}::${data(text)}`
}

const data = (text: string): string => text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')
const property = (text: string): string => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C')

const sequences = { error: 31, warning: 33, dim: 2, bold: 1 }
type Paint = (style: keyof typeof sequences, text: string) => string

const plain: Paint = (_style, text) => text
const coloured: Paint = (style, text) => `\u001b[${sequences[style]}m${text}\u001b[0m`

function toText(diagnostic: Diagnostic, { colour, readFile }: ReportOptions): string {
  const paint = colour ? coloured : plain
  const { severity, code, message, hint, at } = diagnostic
  const title = `${at.file}:${at.line}:${at.column} - ${paint(severity, severity)} ${code}: ${paint('bold', message)}`
  const source = readFile(at.file)
  const frame = source === null ? null : sourceFrame(source, at, 0)
  return [title, ...(frame === null ? [] : frameLines(frame, severity, paint)), `  ${hint}`].join('\n')
}

/** The line and a mark under its place. */
const frameLines = (
  { lines, indent }: SourceFrame,
  severity: Diagnostic['severity'],
  paint: Paint,
): readonly string[] =>
  lines.flatMap(({ number, text }) => {
    const margin = ' '.repeat(String(number).length)
    return [
      `  ${paint('dim', `${number} |`)} ${text}`,
      `  ${paint('dim', `${margin} |`)} ${' '.repeat(indent)}${paint(severity, '^')}`,
    ]
  })
