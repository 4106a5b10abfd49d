/** Finds what a merge left in generated files. */
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import { clientFile } from '../compiler/output-paths.ts'
import { mergeConflict } from './build-diagnostics.ts'
import { readOrNull } from './build-options.ts'

const paths = [
  ...['mcp.yml', 'openapi.yml', 'paths.ts', 'routes.ts'].map((name) => `generated/${name}`),
  clientFile,
].sort()

/** No line that the compiler writes begins so. Source: git-merge, How conflicts are presented. */
const marker = /^(?:<{7}|>{7}|\|{7})(?: |$)/m

/** One diagnostic for all files under `cwd` with markers of a conflict, at the first of them; none when there is none. */
export function mergeConflicts(cwd: string): readonly Diagnostic[] {
  const found = paths.flatMap((path) => {
    const text = readOrNull(`${cwd}/${path}`)
    const start = text?.search(marker) ?? -1
    if (text === null || start < 0) return []
    return [{ path, at: { file: path, line: text.slice(0, start).split('\n').length, column: 1 } }]
  })
  const [first] = found
  return first === undefined ? [] : [mergeConflict(first.at, found.map(({ path }) => path).join(', '))]
}
