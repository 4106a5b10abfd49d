/** Many small controllers judged in one compilation: a run of the compiler reads the standard library, a case does not. */
import { compile } from '../../../cli/compiler/compile.ts'
import type { Diagnostic } from '../../../cli/compiler/diagnostics/source-diagnostics.ts'
import { type Files, memoryHost } from './memory-host.ts'

export interface Case {
  readonly sentence: string
  /** The members of the class, from line 8 of its file. */
  readonly members: string
  /** What follows the class. */
  readonly after?: string
  /** What stands before the class, on the line of its imports. */
  readonly before?: string
  /** `code line:column` of everything that is reported in the file. */
  readonly expected: readonly string[]
}

const fileOf = (index: number): string => `app/controllers/case-${index}.ts`

function textOf({ members, after = '', before = '' }: Case, index: number): string {
  return `import { Controller, NotFound, Conflict, type Rendered, type Int32, type Body, type Header, type UploadedFile } from 'acmcp'; ${before}
/**
 * A case.
 *
 * @base /case-${index}
 */
export class Case${index} extends Controller {
${members}
}
${after}
`
}

/** What is reported for each case, in order. */
export function judge(cases: readonly Case[], more: Files = {}): readonly (readonly Diagnostic[])[] {
  const files = Object.fromEntries(cases.map((item, index) => [fileOf(index), textOf(item, index)]))
  const { diagnostics } = compile(memoryHost({ ...files, ...more }))
  return cases.map((_one, index) => diagnostics.filter(({ at }) => at.file === fileOf(index)))
}

/** `code line:column` */
export const short = ({ code, at }: Diagnostic): string => `${code} ${at.line}:${at.column}`

/** A method with these tags, one a line; its first tag is on line 11 of the file, its code on the line after the last. */
export const method = (tags: string, code = 'show(): string { return "" }'): string =>
  `/**\n * Shows.\n *\n${tags
    .split('\n')
    .map((tag) => ` * ${tag}\n`)
    .join('')} */\n${code}`
