/** What a session can keep. Source: language.md, Controllers at run time (sessions are JSON at rest). */

/** Throws a `TypeError` that names the value and why JSON would lose it: the session would silently be without it. */
export function assertSessionValue(name: string, value: unknown): void {
  try {
    JSON.stringify(value, keepable)
  } catch (error) {
    const why = error instanceof Lost ? error.message : 'it holds itself'
    throw new TypeError(`the session cannot keep '${name}' as JSON: ${why}`)
  }
}

class Lost extends Error {}

/** An absent property (`undefined`) stays absent. */
function keepable(key: string, value: unknown): unknown {
  const kind = kindOf(value)
  if (kind !== null) throw new Lost(key === '' ? `it is ${kind}` : `'${key}' is ${kind}`)
  return value
}

function kindOf(value: unknown): string | null {
  if (value instanceof Map) return 'a Map'
  if (value instanceof Set) return 'a Set'
  return typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol'
    ? `a ${typeof value}`
    : null
}
