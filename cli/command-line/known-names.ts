/** Names on the command line, held against those that there are. */
import { closest } from '../compiler/diagnostics/similar-names.ts'
import { CommandFailure } from './add-command.ts'

/** What is said behind a name that nothing has. */
export function hintOf(written: string | null, names: readonly string[]): string {
  const meant = written === null ? null : closest(written, names)
  return meant === null ? `There are: ${names.join(', ')}.` : `Did you mean ${meant}?`
}

/** The scopes of `--scope`. Throws where one is unknown, or none is given. */
export function namedScopes(scope: string, known: readonly string[]): readonly string[] {
  const names = scope.split(' ').filter((name) => name !== '')
  const unknown = names.find((name) => !known.includes(name)) ?? null
  if (names.length > 0 && unknown === null) return names
  const trouble = unknown === null ? '--scope names no scope' : `there is no scope ${unknown}`
  throw new CommandFailure(`${trouble}. ${hintOf(unknown, known)}`, 2)
}
