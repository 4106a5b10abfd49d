/** Which resource an address is of. */
import type { ResourceEntry } from '../../contract/mcp.ts'
import { isTemplate, type MatchUri, publicUri, uriMatcher } from '../uris/uri-template.ts'

/** A resource, and the arguments that its address has. */
export interface FoundResource {
  readonly entry: ResourceEntry
  readonly args: Readonly<Record<string, string>>
}

/** Null where no resource has the address. */
export type FindResource = (uri: string) => FoundResource | null

/** An address without arguments is looked for before templates, which are tried in the order of the catalogue. */
export function resourceFinder(entries: readonly ResourceEntry[], baseUrl: string): FindResource {
  const plain = new Map<string, FoundResource>()
  const templates: { readonly entry: ResourceEntry; readonly match: MatchUri }[] = []
  for (const entry of entries) {
    const uri = publicUri(entry.uri, baseUrl)
    if (isTemplate(uri)) templates.push({ entry, match: uriMatcher(uri) })
    else plain.set(uri, { entry, args: noArguments })
  }
  return (uri) => {
    const found = plain.get(uri)
    if (found !== undefined) return found
    for (const { entry, match } of templates) {
      const args = match(uri)
      if (args !== null) return { entry, args }
    }
    return null
  }
}

const noArguments = {}

/** The same for all spellings of one address: clients expand templates as they like, `it's` or `it%27s`, and order a query. */
export const resourceKey = ({ entry, args }: FoundResource): string =>
  JSON.stringify([entry.uri, Object.entries(args).sort(([arg], [other]) => (arg < other ? -1 : 1))])

export const maxUriCharacters = 2_048
/** As JSON, where a control character takes six. So many fit into one message of every bus; what does not would be told as a gap. */
const maxUriBytes = 7_000

export const tooLong = ({ length }: Pick<string, 'length'>, most: number = maxUriCharacters): string =>
  `has ${length} characters, at most ${most} are possible`

/** The whole address of a resource that an application says has changed. Throws a `TypeError` for what is no text, a `RangeError` for
 *  one that is too long, and for one that no resource has. */
export function changedResource(entries: readonly ResourceEntry[], baseUrl: string): (uri: string) => string {
  const find = resourceFinder(entries, baseUrl)
  return (uri) => {
    if (typeof uri !== 'string') throw new TypeError('the address of a resource is a text')
    const whole = publicUri(uri, baseUrl)
    if (whole.length > maxUriCharacters) throw new RangeError(`the address of a resource ${tooLong(whole)}`)
    const bytes = Buffer.byteLength(JSON.stringify(whole))
    if (bytes > maxUriBytes)
      throw new RangeError(
        `the address of a resource has ${bytes} bytes of JSON, at most ${maxUriBytes} are possible`,
      )
    if (find(whole) === null) throw new RangeError(`no resource has the address ${whole}`)
    return whole
  }
}
