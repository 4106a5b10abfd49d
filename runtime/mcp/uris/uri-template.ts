/** The addresses of resources: `{name}`, `{+name}` and, at the end, `{?a,b}`. The compiler lets no others through. Source: RFC 6570,
 *  levels 1 to 3. */
import { percentDecoded } from '../../utf8.ts'
import { ofPath, ofSegment, type PathPart, pathMatcher } from './uri-path.ts'

/** The arguments in an address; null = it is none of this template's. */
export type MatchUri = (uri: string) => Readonly<Record<string, string>> | null

/** An address that continues the base URL, or stands by itself. */
export const publicUri = (uri: string, baseUrl: string): string => (uri.startsWith('/') ? baseUrl + uri : uri)

/** Whether it has arguments. */
export const isTemplate = (uri: string): boolean => uri.includes('{')

/** What finds the arguments of a template in the addresses that clients make of it. */
export function uriMatcher(template: string): MatchUri {
  const [, path = '', queryNames] = /^(.*?)(?:\{\?([\w,]+)\})?$/.exec(template) ?? []
  const { names, parts } = partsOf(path)
  const values = pathMatcher(parts)
  const queryParameters = queryNames?.split(',') ?? null
  return (uri) => {
    const at = queryParameters === null ? -1 : uri.indexOf('?')
    const found = values(at < 0 ? uri : uri.slice(0, at))
    if (found === null) return null
    const args: Record<string, string> = {} // lists of pairs cost 4 µs more
    let isRight = true
    const read = (name: string, text: string): void => {
      const value = percentDecoded(text)
      if (value === null) isRight = false
      else args[name] = value
    }
    for (const [index, name] of names.entries()) read(name, found[index] ?? '')
    const query = at < 0 ? [] : queryOf(uri.slice(at + 1), queryParameters ?? [])
    for (const [name, text] of query ?? []) read(name, text)
    return isRight && query !== null ? args : null
  }
}

/** Its texts and variables, and what those are called. */
function partsOf(path: string): { readonly names: readonly string[]; readonly parts: readonly PathPart[] } {
  const names: string[] = []
  const texts = path.split(/(\{\+?\w+\})/).filter((text) => text !== '')
  const parts = texts.map((text): PathPart => {
    const [, plus, name] = /^\{(\+?)(\w+)\}$/.exec(text) ?? []
    if (name === undefined) return text
    names.push(name)
    return plus === '+' ? ofPath : ofSegment
  })
  return { names, parts }
}

type Pair = readonly [name: string, text: string]

/** Null where it has what the template does not name, or one name twice. */
function queryOf(text: string, queryParameters: readonly string[]): readonly Pair[] | null {
  const pairs = text.split('&').map((pair): Pair => {
    const [name = '', ...value] = pair.split('=')
    return [name, value.join('=')]
  })
  const names = pairs.map(([name]) => name)
  const isKnown =
    names.every((name) => queryParameters.includes(name)) && new Set(names).size === names.length
  return isKnown ? pairs : null
}
