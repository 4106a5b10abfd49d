/** Judges a list of tools by the table of what clients take: every row, with no exception of its own. */
import { type Client, type ClientRule, clientRules } from './clients.ts'

type Json = Readonly<Record<string, unknown>>

/** A tool as a list of that era sends it. */
export interface SentTool {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: Json
}

export interface SentList {
  readonly tools: readonly SentTool[]
  readonly serverName: string
  readonly era: 'initialize' | 'modern'
  /** The longest answer that leaves, in characters; null = not known. */
  readonly answerChars: number | null
}

/** What a client makes of a list: what it does not take, by what becomes of that. */
export interface Judgement {
  readonly rule: ClientRule
  /** The tool and the place in it, or what of the whole list. */
  readonly what: string
}

/** By every client, or by one. */
export const judge = (list: SentList, client: Client | null = null): readonly Judgement[] =>
  clientRules
    .filter((rule) => client === null || rule.client === client)
    .flatMap((rule) => found(rule, list).map((what) => ({ rule, what })))

function found({ asks }: ClientRule, { tools, serverName, era, answerChars }: SentList): readonly string[] {
  const each = (judged: (tool: SentTool) => readonly string[]): readonly string[] =>
    tools.flatMap((tool) => judged(tool).map((what) => `${tool.name} ${what}`))
  const inSchemas = (judged: (schema: Json, path: string) => readonly string[]): readonly string[] =>
    each(({ inputSchema }) =>
      [...schemasIn(inputSchema, '')].flatMap(([path, schema]) => judged(schema, path)),
    )
  switch (asks.of) {
    case 'tool name':
      return each(({ name }) =>
        asks.pattern.test(name) ? [] : [`its name does not match ${asks.pattern.source}`],
      )
    case 'property key':
      return inSchemas((schema, path) =>
        asks.depth === 'arguments' && path !== ''
          ? []
          : Object.keys(Object(schema.properties))
              .filter((key) => !asks.pattern.test(key))
              .map((key) => `${path}: key ${JSON.stringify(key)}`),
      )
    case 'schema':
      return inSchemas((schema, path) =>
        [schema.type].flat().includes(asks.type) && !isRecord(schema[asks.needs])
          ? [`${path}: no ${asks.needs}`]
          : [],
      )
    case 'root':
      return each(({ inputSchema }) => asks.without.filter((keyword) => Object.hasOwn(inputSchema, keyword)))
    case 'keyword':
      return era === 'modern' && asks.era === 'initialize'
        ? []
        : inSchemas((schema, path) =>
            Object.hasOwn(schema, asks.without) ? [`${path}: ${asks.without}`] : [],
          )
    case 'reference':
      return [
        ...inSchemas((schema, path) =>
          '$ref' in schema && Object.keys(schema).some((key) => key !== '$ref' && !asks.beside.includes(key))
            ? [`${path}: beside $ref`]
            : [],
        ),
        ...each(needlessReferences),
      ]
    case 'length':
      return each(({ name, description = '' }) => {
        const isText = asks.what === 'description'
        const of = isText ? 'its description' : `its name with that of the server, ${serverName},`
        const { length } = isText ? description : `${asks.begins}${serverName}${asks.joint}${name}`
        return length > asks.max ? [`${of} has ${length} characters, ${asks.max} fit`] : []
      })
    case 'answer':
      return answerChars !== null && answerChars > asks.max
        ? [`answers of up to ${answerChars} characters (mcp.answerChars)`]
        : []
    case 'count':
      return tools.length > asks.max ? [`${tools.length} tools in one list, ${asks.max} fit`] : []
  }
}

/** The longest type that stands in place wherever it is used (decisions/mcp.md, Clients' dialects). */
const maxRepeated = 400

/** Definitions that do not refer to themselves, and are used once or small. */
function needlessReferences({ inputSchema }: SentTool): readonly string[] {
  const definitions = Object.entries(Object(inputSchema.$defs) as Readonly<Record<string, Json>>)
  const refs = (schema: unknown): readonly string[] =>
    [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map(([, name = '']) => name)
  const byName = new Map(definitions)
  const all = refs(inputSchema)
  return definitions.flatMap(([name, schema]) => {
    const reached = new Set<string>(refs(schema))
    for (const inner of reached) for (const more of refs(byName.get(inner) ?? {})) reached.add(more)
    const uses = all.filter((used) => used === name).length
    const isNeedless = !reached.has(name) && (uses < 2 || JSON.stringify(schema).length <= maxRepeated / 2)
    return isNeedless ? [`$defs/${name}: used ${uses} times`] : []
  })
}

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const single = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else']
const listed = ['anyOf', 'oneOf', 'allOf', 'prefixItems']

/** Every schema in `schema`, itself too, by its path. */
function* schemasIn(schema: unknown, path: string): Generator<readonly [path: string, schema: Json]> {
  if (!isRecord(schema)) return
  yield [path, schema]
  for (const keyword of single) yield* schemasIn(schema[keyword], `${path}/${keyword}`)
  for (const keyword of listed)
    for (const [place, inner] of Object.entries(Object(schema[keyword])))
      yield* schemasIn(inner, `${path}/${keyword}/${place}`)
  for (const keyword of named)
    for (const [name, inner] of Object.entries(Object(schema[keyword])))
      yield* schemasIn(inner, `${path}/${keyword}/${name}`)
}
