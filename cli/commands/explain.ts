/** `acmcp explain`: prints what the reference says of a tag, a diagnostic, a setting or a command. Never loads the compiler. */
import { textOf } from '../reference/entry.ts'
import { find, near } from '../reference/lookup.ts'
import { allEntries } from '../reference/reference.ts'

export interface ExplainOptions {
  readonly json: boolean
  /** Names in bold, for a terminal. */
  readonly bold: boolean
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
}

/** The exit code: 0, or 2 when nothing has this name, after the names that are like it. */
export function explain(written: string, { json, bold, print, warn }: ExplainOptions): 0 | 2 {
  const all = allEntries()
  const found = find(all, written)
  if (found.length === 0) {
    const names = near(all, written)
    const meant = names.length === 0 ? 'See `acmcp docs` for all names.' : `Did you mean ${names.join(', ')}?`
    warn(`acmcp: nothing is called ${written}. ${meant}`)
    return 2
  }
  if (json) print(JSON.stringify({ entries: found.map(({ aliases: _aliases, ...entry }) => entry) }))
  else
    for (const line of found.flatMap((entry, index) => [
      ...(index === 0 ? [] : ['']),
      ...textOf(entry, bold),
    ]))
      print(line)
  return 0
}
