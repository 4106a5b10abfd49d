/** The next page as an address, of a `Link` header. Source: RFC 8288. */
import type { HttpResponse } from '../../contract/http.ts'
import type { ToolEntry } from '../../contract/mcp.ts'
import { schemaOfArgument, valueFromText } from './argument-values.ts'

/** What was called. */
export interface PagedCall {
  readonly tool: Pick<ToolEntry, 'inputSchema' | 'arguments'>
  readonly args: Readonly<Record<string, unknown>>
  /** Path and query that the route was asked for. */
  readonly url: string
}

/** The arguments with which the tool asks for what `Link: <…>; rel="next"` leads to; null where nothing does. */
export function linkedPage(headers: HttpResponse['headers'], call: PagedCall): PagedCall['args'] | null {
  const target = nextLink(headers)
  return target === null ? null : argumentsOfAddress(target, call)
}

/** As written. */
function nextLink({ link }: HttpResponse['headers']): string | null {
  if (link === undefined) return null
  for (const [, target = '', params = ''] of [link]
    .flat()
    .join(', ')
    .matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(params) ?? []
    if ((quoted ?? bare ?? '').toLowerCase().split(/\s+/).includes('next')) return target
  }
  return null
}

/** Null where the address is that of another route, where it names what is no argument, and where it is the page that was asked for. */
function argumentsOfAddress(target: string, { tool, args, url }: PagedCall): PagedCall['args'] | null {
  const current = new URL(url, anywhere)
  if (!URL.canParse(target, current.href)) return null
  const { pathname, searchParams } = new URL(target, current)
  if (pathname !== current.pathname) return null
  const byName = new Map(
    tool.arguments
      .filter(({ from }) => from === 'query' || from === 'field')
      .map((argument) => [argument.name, argument]),
  )
  const read = [...new Set(searchParams.keys())].map((name) => {
    const argument = byName.get(name)?.argument
    if (argument === undefined) return null
    const texts = searchParams.getAll(name)
    const isSame =
      current.searchParams.getAll(name).join('\n') === texts.join('\n') && Object.hasOwn(args, argument)
    return [
      argument,
      isSame ? args[argument] : valueFromText(texts, schemaOfArgument(tool, argument)),
    ] as const
  })
  const known = read.filter((item) => item !== null)
  if (known.length < read.length) return null
  const isOfQuery = (argument: string): boolean =>
    tool.arguments.some(
      (placedArgument) =>
        placedArgument.argument === argument && current.searchParams.has(placedArgument.name),
    )
  const others = Object.entries(args).filter(([argument]) => !isOfQuery(argument))
  const next = Object.fromEntries([...others, ...known])
  return known.every(([argument, value]) => value === args[argument]) ? null : next
}

/** The application that wrote the address may know the server by another name. */
const anywhere = 'http://localhost'
