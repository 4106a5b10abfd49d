/** `acmcp explain`: prints what the reference says of a tag, a diagnostic, a setting or a command. Never loads the compiler. */
import { allEntries } from '../reference/entries.ts'
import { textOf } from '../reference/entry.ts'
import { find, namesIn, near } from '../reference/lookup.ts'

export interface ExplainOptions {
  readonly json: boolean
  /** Names in bold, for a terminal. */
  readonly bold: boolean
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
}

/** Explains each name; the exit code: 0, or 2 when nothing has one of these names, after the names that are like it. */
export function explain(words: readonly string[], { json, bold, print, warn }: ExplainOptions): 0 | 2 {
  const all = allEntries()
  const written = namesIn(all, words)
  const unknown = written.filter((name) => find(all, name).length === 0)
  for (const name of unknown) {
    const names = near(all, name)
    const meant = names.length === 0 ? 'See `acmcp docs` for all names.' : `Did you mean ${names.join(', ')}?`
    warn(`acmcp: nothing is called ${name}. ${meant}`)
  }
  if (unknown.length > 0) return 2
  const found = [...new Set(written.flatMap((name) => find(all, name)))]
  if (json) print(JSON.stringify({ entries: found.map(({ aliases: _aliases, ...entry }) => entry) }))
  else
    for (const line of found.flatMap((entry, index) => [
      ...(index === 0 ? [] : ['']),
      ...textOf(entry, bold),
    ]))
      print(line)
  return 0
}
