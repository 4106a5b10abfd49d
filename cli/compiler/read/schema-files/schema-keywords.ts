/** What the judge of schema files at run time (`runtime/http/codec/json-schema/`) does not know, or could not end with. */
// Source: JSON Schema Core 2020-12, 8 to 11; JSON Schema Validation 2020-12, 6.

type Json = Readonly<Record<string, unknown>>

/** What a keyword holds; `beside`: a schema that is asked of the value itself, not of a part of it. */
type Holds = 'schema' | 'beside' | 'schemas' | 'manyBeside' | 'named' | 'namedBeside' | 'patterned' | Test
type Test = (value: unknown) => boolean

const isNumber: Test = (value) => Number.isFinite(value)
const isCount: Test = (value) => Number.isInteger(value) && Number(value) >= 0
const isText: Test = (value) => typeof value === 'string'
const isFlag: Test = (value) => typeof value === 'boolean'
const areTexts: Test = (value) => Array.isArray(value) && value.every(isText)
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const types = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'])
const isType: Test = (value) => (Array.isArray(value) ? value : [value]).every((item) => types.has(item))

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp
  } catch {
    return false
  }
}

const keywords = new Map<string, Holds>([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((name) => [name, isNumber] as const),
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
    (name) => [name, isCount] as const,
  ),
  ...['minContains', 'maxContains'].map((name) => [name, isCount] as const),
  ...['additionalProperties', 'propertyNames', 'items', 'contains'].map((name) => [name, 'schema'] as const),
  ...['unevaluatedItems', 'unevaluatedProperties'].map((name) => [name, 'schema'] as const),
  ...['if', 'then', 'else', 'not'].map((name) => [name, 'beside'] as const),
  ...['allOf', 'anyOf', 'oneOf'].map((name) => [name, 'manyBeside'] as const),
  ['multipleOf', (value) => isNumber(value) && Number(value) > 0],
  ['type', isType],
  ['enum', Array.isArray],
  ['required', areTexts],
  ['format', isText],
  ['pattern', isPattern],
  ['uniqueItems', isFlag],
  ['dependentRequired', (value) => isRecord(value) && Object.values(value).every(areTexts)],
  ['prefixItems', 'schemas'],
  ['properties', 'named'],
  ['$defs', 'named'],
  ['patternProperties', 'patterned'],
  ['dependentSchemas', 'namedBeside'],
  ['$ref', isText],
  ['$dynamicRef', isText],
])

/** They mean something elsewhere, and would be ignored in silence. */
const older = new Map([
  ['dependencies', 'dependentRequired or dependentSchemas'],
  ['additionalItems', 'prefixItems with items'],
  ['$recursiveRef', '$dynamicRef'],
  ['$recursiveAnchor', '$dynamicAnchor'],
])

/** Why a schema cannot be judged; null = it can. `targetOf` finds what a reference of the file names. */
export function schemaTrouble(root: Json, targetOf: (reference: string) => unknown): string | null {
  const besides = new Map<unknown, unknown[]>()
  const trouble = troubleIn(root, { besides, isRoot: true, targetOf })
  return trouble ?? (hasCycle(besides) ? 'refers to itself without going into a property or an item' : null)
}

interface Walk {
  /** The schemas asked of the same value, by schema. */
  readonly besides: Map<unknown, unknown[]>
  readonly isRoot: boolean
  readonly targetOf: (reference: string) => unknown
}

function troubleIn(schema: unknown, walk: Walk): string | null {
  if (typeof schema === 'boolean') return null
  if (!isRecord(schema)) return `holds ${JSON.stringify(schema)?.slice(0, 60)} where a schema must be`
  if (walk.besides.has(schema)) return null
  const beside: unknown[] = []
  walk.besides.set(schema, beside)
  if (
    '$id' in schema &&
    !walk.isRoot &&
    /"\$(ref|dynamicRef|anchor|dynamicAnchor)":/.test(JSON.stringify(schema))
  )
    return 'has references below an $id of their own'
  const inside = { ...walk, isRoot: false }
  for (const [name, value] of Object.entries(schema)) {
    const instead = older.get(name)
    if (instead !== undefined) return `has ${name}, which 2020-12 has no more: write ${instead}`
    const holds = keywords.get(name)
    if (holds === undefined) continue
    const found = partsOf(holds, value)
    if (found === null) return `has a value of ${name} that JSON Schema does not allow`
    for (const part of found) {
      const trouble = troubleIn(part, inside)
      if (trouble !== null) return trouble
    }
    if (typeof holds === 'string' && /beside/i.test(holds)) beside.push(...found)
    if (name !== '$ref' && name !== '$dynamicRef') continue
    const target = walk.targetOf(String(value))
    const trouble = target === schema ? null : troubleIn(target, inside)
    if (trouble !== null) return trouble
    beside.push(target)
  }
  return null
}

/** The schemas that a keyword's value holds; null = the value is not allowed. */
function partsOf(holds: Holds, value: unknown): readonly unknown[] | null {
  if (typeof holds !== 'string') return holds(value) ? [] : null
  if (holds === 'schema' || holds === 'beside') return [value]
  if (holds === 'schemas' || holds === 'manyBeside')
    return Array.isArray(value) && value.length > 0 ? value : null
  if (!isRecord(value)) return null
  return holds !== 'patterned' || Object.keys(value).every(isPattern) ? Object.values(value) : null
}

/** Whether a schema comes to itself again at the same value: its judgement would never end. */
function hasCycle(besides: ReadonlyMap<unknown, readonly unknown[]>): boolean {
  const done = new Set<unknown>()
  const open = new Set<unknown>()
  const visit = (schema: unknown): boolean => {
    if (open.has(schema)) return true
    if (done.has(schema)) return false
    open.add(schema)
    const found = (besides.get(schema) ?? []).some(visit)
    open.delete(schema)
    done.add(schema)
    return found
  }
  return [...besides.keys()].some(visit)
}
