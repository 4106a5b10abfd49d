/** How the answers of a tool go on, decided once: by what its arguments and its declared answer are called, or as its author says
 *  (`@mcp paging`). What is not declared counts for nothing: it may be data that a user stored. */
import type { JsonSchema, ToolPaging } from '../../../runtime/contract/mcp.ts'
import type { Paging } from '../ir/paging.ts'

export interface PagedSchemas {
  /** By the names of the arguments. */
  readonly input: Readonly<Record<string, unknown>>
  /** Null where nothing is declared. */
  readonly output: JsonSchema | null
  /** What `#/$defs/<name>` refers to; null = nothing. */
  readonly definition: (name: string) => JsonSchema | null
}

const limits = foldedNames(
  'limit size count take top first max perPage itemsPerPage maxItems maxResults pageLimit pageSize batchSize',
)
const offsets = foldedNames('offset skip')
const pages = foldedNames('page pageNumber pageNo pageNum pageIndex')
const cursors = foldedNames(
  'cursor nextCursor pageCursor after startingAfter pageToken nextPageToken nextToken continuation continuationToken marker',
)
const envelopes = foldedNames('meta metadata pagination paging pageInfo page cursors links responseMetadata')
const wrappers = foldedNames('data result response body')
const lists = foldedNames(
  'items data results rows records entries list value values content nodes edges hits documents',
)
const mores = foldedNames('hasMore hasNextPage hasNext')
const totals = foldedNames('total totalCount totalItems totalResults totalElements totalRecords')
const totalsOfPages = foldedNames('totalPages pageCount lastPage')
const currents = foldedNames('page currentPage pageNumber')
const sizes = foldedNames('limit perPage pageSize size')

/** Which arguments take what stands under a name of the answer, the likeliest first. */
const takenBy: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    nextcursor: ['cursor', 'nextcursor', 'pagecursor', 'after', 'startingafter'],
    endcursor: ['after', 'cursor'],
    nextpagetoken: ['pagetoken', 'nextpagetoken', 'nexttoken'],
    nexttoken: ['nexttoken', 'pagetoken'],
    continuationtoken: ['continuationtoken', 'continuation'],
    nextmarker: ['marker'],
    next: ['cursor', 'nextcursor', 'pagecursor', 'pagetoken', 'continuation', 'marker'],
    nextpage: [],
    nextoffset: [],
    nextlink: [],
    nexturl: [],
  }),
)

function foldedNames(text: string): ReadonlySet<string> {
  return new Set(text.split(' ').map(folded))
}

/** Whatever way of writing: `per_page`, `perPage`, `$perpage`. */
function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Null where no argument pages. */
export function pagingOf(said: Paging | null, schemas: PagedSchemas): ToolPaging | null {
  if (said?.isNone === true) return null
  const names = said?.names ?? {}
  const isSaid = [names.offset, names.page, names.cursor].some((name) => name !== undefined)
  const own = (known: ReadonlySet<string>): readonly string[] =>
    Object.keys(schemas.input).filter((name) => known.has(folded(name)))
  const counting = (known: ReadonlySet<string>): string | undefined =>
    own(known).find((name) => allows(schemas.input[name], schemas, 'number'))
  const counters = {
    limit: names.limit ?? counting(limits),
    offset: names.offset ?? (isSaid ? undefined : counting(offsets)),
    page: names.page ?? (isSaid ? undefined : counting(pages)),
  }
  const taking = names.cursor === undefined ? (isSaid ? [] : own(cursors)) : [names.cursor]
  if (Object.values(counters).every((name) => name === undefined) && taking.length === 0) return null
  const fields = fieldsOf(schemas)
  const next =
    names.next === undefined
      ? nextOf(fields, { ...counters, taking, isSaid: names.cursor !== undefined }, schemas)
      : { cursor: names.cursor, next: names.next }
  return defined({
    ...counters,
    ...(next ?? { cursor: taking[0], next: undefined }),
    ...countsOf(fields, schemas),
  })
}

const defined = (paging: { readonly [Name in keyof ToolPaging]-?: string | undefined }): ToolPaging =>
  Object.fromEntries(Object.entries(paging).filter(([, value]) => value !== undefined))

/** A property of the answer, or of an object in it that speaks of pages. */
interface Field {
  readonly name: string
  readonly path: string
  readonly schema: unknown
}

/** The properties of an answer, the outermost first. */
const fieldsOf = (schemas: PagedSchemas): readonly Field[] => fieldsBelow(schemas.output, '', 0, schemas)

const deepest = 2

function fieldsBelow(schema: unknown, above: string, depth: number, schemas: PagedSchemas): readonly Field[] {
  const own = Object.entries(propertiesOf(schema, schemas) ?? {}).map(([name, inner]) => ({
    name,
    path: above + name,
    schema: inner,
  }))
  if (depth === deepest) return own
  const inside = own.filter(({ name }) => envelopes.has(folded(name)) || wrappers.has(folded(name)))
  return [
    ...own,
    ...inside.flatMap((field) => fieldsBelow(field.schema, `${field.path}.`, depth + 1, schemas)),
  ]
}

interface Takers {
  readonly offset: string | undefined
  readonly page: string | undefined
  /** Arguments that take a cursor. */
  readonly taking: readonly string[]
  /** The author names the cursor: it takes what any of the names tells. */
  readonly isSaid: boolean
}

type Next = { readonly cursor: string | undefined; readonly next: string }

/** The first property that leads on, and the argument that takes it; without one it is an address, or a number of `page` or `offset`. */
function nextOf(fields: readonly Field[], takers: Takers, schemas: PagedSchemas): Next | null {
  const hasMore = fields.some(({ name }) => mores.has(folded(name)))
  for (const field of fields) {
    const found = nextBy(field, takers, schemas)
    if (found !== null && (folded(field.name) !== 'endcursor' || hasMore)) return found
  }
  return null
}

function nextBy({ name, path, schema }: Field, takers: Takers, schemas: PagedSchemas): Next | null {
  const plain = folded(name)
  const known = takenBy.get(plain)
  if (known === undefined) return null
  const address = propertiesOf(schema, schemas)?.href // HAL and JSON:API wrap an address
  if (address !== undefined) return { cursor: undefined, next: `${path}.href` }
  const { page, offset, taking, isSaid } = takers
  const counter =
    plain === 'nextpage'
      ? page
      : plain === 'nextoffset'
        ? offset
        : plain === 'next'
          ? (page ?? offset)
          : undefined
  if (counter !== undefined && allows(schema, schemas, 'number')) return { cursor: undefined, next: path }
  const cursor = isSaid
    ? taking[0]
    : known.flatMap((text) => taking.find((argument) => folded(argument) === text) ?? [])[0]
  if (cursor !== undefined) return { cursor, next: path }
  const isAddress = ['next', 'nextlink', 'nexturl', 'nextpage'].includes(plain)
  return isAddress && allows(schema, schemas, 'string') ? { cursor: undefined, next: path } : null
}

type Counts = {
  readonly [Name in 'items' | 'more' | 'total' | 'pages' | 'current' | 'size']: string | undefined
}

function countsOf(fields: readonly Field[], schemas: PagedSchemas): Counts {
  const first = (known: ReadonlySet<string>, type: string): string | undefined =>
    fields.find(({ name, schema }) => known.has(folded(name)) && allows(schema, schemas, type))?.path
  return {
    items: listIn(schemas.output, '', schemas),
    more: first(mores, 'boolean'),
    total: first(totals, 'number'),
    pages: first(totalsOfPages, 'number'),
    current: first(currents, 'number'),
    size: first(sizes, 'number'),
  }
}

/** The list that is the answer, or in it the only one, or the only one with a usual name. */
function listIn(schema: unknown, above: string, schemas: PagedSchemas): string | undefined {
  if (schema !== null && isList(schema, schemas)) return above
  const own = Object.entries(propertiesOf(schema, schemas) ?? {})
  const at = (name: string): string => (above === '' ? name : `${above}.${name}`)
  const found = own.filter(([, inner]) => isList(inner, schemas)).map(([name]) => name)
  const usual = found.filter((name) => lists.has(folded(name)))
  const [only, second] = usual.length > 0 ? usual : found
  if (only !== undefined) return second === undefined ? at(only) : undefined
  for (const [name, inner] of own) {
    const path = wrappers.has(folded(name)) ? listIn(inner, at(name), schemas) : undefined
    if (path !== undefined) return path
  }
  return undefined
}

const isList = (schema: unknown, schemas: PagedSchemas): boolean =>
  membersOf(schema, schemas).every(({ type }) => type === 'array') && membersOf(schema, schemas).length > 0

/** Whether a value of that type may stand there; a schema that names no type allows all. */
function allows(schema: unknown, schemas: PagedSchemas, type: string): boolean {
  return membersOf(schema, schemas).some((member) => {
    const types = [member.type ?? []].flat()
    if (types.length > 0)
      return types.some((item) => item === type || (type === 'number' && item === 'integer'))
    return Object.keys(member).every((key) => annotations.has(key))
  })
}

const annotations: ReadonlySet<string> = new Set([
  'description',
  'title',
  'default',
  'examples',
  'deprecated',
])

/** The properties that every value has that is no null; null = it is no object, or one of which nothing is known. */
function propertiesOf(schema: unknown, schemas: PagedSchemas): Readonly<Record<string, unknown>> | null {
  const [first, ...others] = membersOf(schema, schemas).map(({ properties }) =>
    properties !== null && typeof properties === 'object' ? { ...properties } : {},
  )
  if (first === undefined) return null
  const entries = Object.entries(first).filter(([name]) =>
    others.every((other) => Object.hasOwn(other, name)),
  )
  return Object.fromEntries(
    entries.map(([name, inner]): [string, unknown] => [
      name,
      others.length === 0
        ? inner
        : { anyOf: [inner, ...others.map((other) => new Map(Object.entries(other)).get(name))] },
    ]),
  )
}

/** References ending at one of these many are followed no further: types may be recursive. */
const maxMembers = 50

/** What the schema may be, `null` left out: members of unions, references followed, `allOf` put together. */
function membersOf(schema: unknown, schemas: PagedSchemas, depth = 0): readonly JsonSchema[] {
  if (schema === null || typeof schema !== 'object' || depth > 8) return []
  const { $ref, anyOf, oneOf, allOf, ...own }: Readonly<Record<string, unknown>> = { ...schema }
  if (typeof $ref === 'string') {
    const name = /^#\/\$defs\/([^/]+)$/.exec($ref)?.[1]
    return membersOf(name === undefined ? null : schemas.definition(name), schemas, depth + 1)
  }
  const union = anyOf ?? oneOf
  if (Array.isArray(union))
    return union.slice(0, maxMembers).flatMap((member) => membersOf(member, schemas, depth + 1))
  if (Array.isArray(allOf))
    return [merged([own, ...allOf.flatMap((value) => membersOf(value, schemas, depth + 1))])]
  return own.type === 'null' ? [] : [own]
}

const merged = (parts: readonly JsonSchema[]): JsonSchema => ({
  ...Object.assign({}, ...parts),
  properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
})
