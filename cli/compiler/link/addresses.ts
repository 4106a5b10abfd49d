/** Route paths as written → the addresses that serve them. */

/** One address of a route. */
export interface Address {
  /** Segments `:name`; `*:name` stands last. */
  readonly path: string
  /** The variables of the route that this address leaves out. */
  readonly absent: readonly string[]
}

/** `base` and `path` in one. */
export function joinPath(base: string, path: string): string {
  return `${base.replace(/\/$/, '')}${path}`
}

/** The names of a path's variables, in order. */
export function pathVariables(path: string): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')
}

/** The name of the variable that takes the rest of the path, or null. */
export function restVariable(path: string): string | null {
  return /\*:(\w+)$/.exec(path)?.[1] ?? null
}

/** The addresses of a route, the longest first. Optional segments come after the required ones wherever they are
 *  written, and the rest comes last; `mayOmit` says whether the method does without a variable.
 *  Source: decisions/http.md, Parameters and decoders. */
export function addressesOf(path: string, mayOmit: (variable: string) => boolean): readonly Address[] {
  const segments = path.replace(/(.)\/$/, '$1').split('/')
  const isOptional = (segment: string): boolean => /^[?*]:/.test(segment)
  const optional = segments.filter((segment) => segment.startsWith('?:'))
  const rest = restVariable(path)
  if (optional.length === 0 && rest === null) return [{ path, absent: [] }]
  const required = segments.filter((segment) => !isOptional(segment))
  const extra = [...optional.map((segment) => segment.slice(1)), ...(rest === null ? [] : [`*:${rest}`])]
  const counts = extra.map((_segment, index) => index).reverse()
  const shorter = counts.filter((count) => extra[count] !== `*:${rest}` || mayOmit(rest ?? ''))
  return [extra.length, ...shorter].map((count) => ({
    path: [...required, ...extra.slice(0, count)].join('/') || '/',
    absent: extra.slice(count).flatMap(pathVariables),
  }))
}
