/** The text of a source with other texts in the place of some of its own. */

/** A text that comes in place of another. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The module that has the functions which edits call. */
export const placesModule = 'acmcp:module'

/** How a source at `path` calls one of those functions: no source has such names. One of CommonJS has no import that is there before
 *  all else. */
export function callOf(path: string, name: 'sourceModule' | 'programAddress', argument: string): string {
  const called = isCommonJs(path) ? `require("${placesModule}").${name}` : `__acmcp_${name}`
  return `${called}(${JSON.stringify(argument)})`
}

const isCommonJs = (path: string): boolean => path.endsWith('.cts')

/** `text`, of a source at `path`, with the edits, on the lines that it had. */
export function editedText(path: string, text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let end = 0
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    const lines = text.slice(edit.start, edit.end).split('\n').length - 1
    parts.push(text.slice(end, edit.start), edit.text, '\n'.repeat(lines))
    end = edit.end
  }
  parts.push(text.slice(end))
  return isCommonJs(path) ? parts.join('') : `${parts.join('')}\n${importOfBoth}\n`
}

/** Behind all else, so that nothing moves: where an import stands says nothing of when it is run. */
const importOfBoth = `import { sourceModule as __acmcp_sourceModule, programAddress as __acmcp_programAddress } from "${placesModule}";`
