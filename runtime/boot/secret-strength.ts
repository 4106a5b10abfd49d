/** What a secret must be. Source: rules.md, Environment. The values are never repeated. */

/** The settings that hold secrets, each with those that were given. */
export type NamedSecrets = Readonly<
  Record<'JWT_SECRET' | 'SESSION_SECRET' | 'METRICS_TOKEN', readonly string[]>
>

const exampleWords = /change.?me|replace.?(me|this)|secret|passw|example|default|sample|your.?(own|key|jwt)/i

/** What is wrong with them, a line each; of each secret the first defect. */
export function secretMistakes(secrets: NamedSecrets, production: boolean): readonly string[] {
  const mistakes = Object.entries(secrets).flatMap(([name, list]) =>
    list.flatMap((secret) => defectOf(secret, production) ?? []).map((defect) => `${name}: ${defect}`),
  )
  const { JWT_SECRET: jwt, SESSION_SECRET: session } = secrets
  const isShared = production && jwt.some((secret) => session.includes(secret))
  return [...new Set(mistakes), ...(isShared ? ['JWT_SECRET and SESSION_SECRET must differ'] : [])]
}

/** What is wrong with one; null = nothing. */
export function defectOf(secret: string, production: boolean): string | null {
  if (Buffer.byteLength(secret) < 32) return 'every secret needs at least 32 bytes'
  if (!production) return null
  if (new Set(secret).size < 8 || /^(.+?)\1+$/s.test(secret))
    return 'a secret that repeats a few characters is refused in production'
  return exampleWords.test(secret) ? 'an example secret is refused in production' : null
}
