/** `acmcp explain`: prints what the reference says of a tag, a diagnostic, a setting or a command. Never loads the compiler. */
import { type Add, addExamples, type CommandContext } from '../../../command-line/command.ts'

export const place = 710

export const add: Add = (program, start) => {
  const command = program
    .command('explain')
    .description('print what the reference says of a tag, a diagnostic, a setting or a command')
    .argument(
      '<name...>',
      'such as @get, "@mcp hide", ACM203, CON010, limits.bodyBytes, DATABASE_URL or build --check',
    )
    .option('--json', 'print one JSON document')
    .allowUnknownOption() // `explain build --check` names an option of another command
    .action((names: readonly string[], { json = false }: { readonly json?: boolean }) =>
      start((context) => run(names, { ...context, json })),
    )
  addExamples(command, [
    'acmcp explain @exception',
    'acmcp explain ACM203',
    'acmcp explain limits.bodyBytes --json',
  ])
}

interface ExplainOptions extends Pick<CommandContext, 'print' | 'warn' | 'colour'> {
  readonly json: boolean
}

/** Explains each name; the exit code: 0, or 2 when nothing has one of these names, after the names that are like it. */
export async function run(
  words: readonly string[],
  { json, colour, print, warn }: ExplainOptions,
): Promise<0 | 2> {
  const { allEntries } = await import('../entries.ts')
  const { find, namesIn, near, textOf } = await import('../entry.ts')
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
      ...textOf(entry, colour),
    ]))
      print(line)
  return 0
}
