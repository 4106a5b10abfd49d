/** The addresses of resources: `{name}`, `{+name}` and, at the end, `{?a,b}`. The compiler lets no others through. Source: RFC 6570,
 *  levels 1 to 3. */

/** The arguments in an address; null = it is none of this template's. */
export type MatchUri = (uri: string) => Readonly<Record<string, string>> | null

/** An address that continues the base URL, or stands by itself. */
export const publicUri = (uri: string, baseUrl: string): string => (uri.startsWith('/') ? baseUrl + uri : uri)

/** Whether it has arguments. */
export const isTemplate = (uri: string): boolean => uri.includes('{')

/** What finds the arguments of a template in the addresses that clients make of it. */
export function uriMatcher(template: string): MatchUri {
  const [, path = '', queryNames] = /^(.*?)(?:\{\?([\w,]+)\})?$/.exec(template) ?? []
  const names: string[] = []
  const pattern = path
    .split(/(\{\+?\w+\})/)
    .map((part) => {
      const [, plus, name] = /^\{(\+?)(\w+)\}$/.exec(part) ?? []
      if (name === undefined) return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
      names.push(name)
      return plus === '+' ? '([^?#]+)' : '([^/?#]+)'
    })
    .join('')
  const whole = new RegExp(`^${pattern}$`)
  const asked = queryNames?.split(',') ?? null
  return (uri) => {
    const at = asked === null ? -1 : uri.indexOf('?')
    const found = whole.exec(at < 0 ? uri : uri.slice(0, at))
    if (found === null) return null
    const query = at < 0 ? [] : queryOf(uri.slice(at + 1), asked ?? [])
    const pairs = names.map((name, index) => [name, decoded(found[index + 1] ?? '')] as const)
    const all = query === null ? [] : [...pairs, ...query]
    const read = all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
    return query === null || read.length < all.length ? null : Object.fromEntries(read)
  }
}

type Pair = readonly [name: string, value: string | null]

/** Null where it has what the template does not name, or one name twice. */
function queryOf(text: string, asked: readonly string[]): readonly Pair[] | null {
  const pairs = text.split('&').map((pair): Pair => {
    const [name = '', ...value] = pair.split('=')
    return [name, decoded(value.join('='))]
  })
  const names = pairs.map(([name]) => name)
  const isKnown = names.every((name) => asked.includes(name)) && new Set(names).size === names.length
  return isKnown ? pairs : null
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
