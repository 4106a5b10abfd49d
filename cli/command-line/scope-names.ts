/** The scopes of `--scope`, held against those that the last build declares. */
import { closest } from '../compiler/diagnostics/similar-names.ts'

/** The names; where one is unknown, or none is given, a sentence that says so. */
export function namedScopes(scope: string, known: readonly string[]): readonly string[] | string {
  const names = scope.split(' ').filter((name) => name !== '')
  const unknown = names.find((name) => !known.includes(name))
  if (names.length > 0 && unknown === undefined) return names
  const meant = unknown === undefined ? null : closest(unknown, known)
  const hint = meant === null ? `There are: ${known.join(', ')}.` : `Did you mean ${meant}?`
  return `${unknown === undefined ? '--scope names no scope' : `there is no scope ${unknown}`}. ${hint}`
}

/** The same for a token that is about to be made: the text of its scopes, null where none are given. */
export async function tokenScope(
  cwd: string,
  text: string | null,
): Promise<{ readonly scope: string | null } | { readonly refused: string }> {
  if (text === null) return { scope: null }
  const { readLastBuild } = await import('../../runtime/serve/last-build.ts')
  const named = namedScopes(text, (await readLastBuild(cwd)).scopes)
  return typeof named === 'string' ? { refused: named } : { scope: named.join(' ') }
}
