/** A document of OpenAPI as text, by operations and components; and what is another at its top, which concerns everybody. */
import { type Blocks, documentEntries, entriesBelow, fieldUnder } from './blocks.ts'
import { type ChangedPart, type ContractChange, noticedBy } from './findings.ts'
import { type Definitions, remembered } from './schemas/alternatives.ts'
import { type FieldValues, hasFields, isSame, ownIn, pairsIn, recordOf } from './schemas/json.ts'
import { withoutNames } from './tools.ts'

export interface Document {
  /** By verb and address, with the names of variables left out: `GET /orders/{}`. */
  readonly operations: ReadonlyMap<string, Operation>
  /** Components by reference. */
  readonly components: Blocks
  readonly definitions: Definitions
  /** What stands beside paths, components and texts. */
  readonly head: Blocks
}

export interface Operation {
  /** `GET /orders/{id}` */
  readonly address: string
  readonly text: string
}

export function openapiDocument(text: string): Document {
  const top = documentEntries(text, ['openapi', 'paths'])
  const operations = [...entriesBelow(top.get('paths'))].flatMap(([path, block]) =>
    [...entriesBelow(block)].map(([verb, operation]) => {
      const address = `${verb.toUpperCase()} ${path}`
      return [withoutNames(address), { address, text: operation }] as const
    }),
  )
  const parts = [...entriesBelow(top.get('components'))].flatMap(([kind, block]) =>
    [...entriesBelow(block)].map(([name, part]) => [`#/components/${kind}/${name}`, part] as const),
  )
  const components = new Map(parts)
  const reported = new Set(['openapi', 'paths', 'components', 'info', 'tags'])
  return {
    operations: new Map(operations),
    components,
    definitions: definitionsOf(components),
    head: new Map(
      [...top, ...parts.filter(([name]) => name.startsWith('#/components/securitySchemes/'))].filter(
        ([name]) => !reported.has(name),
      ),
    ),
  }
}

/** A reference goes to a component, or to what stands in one: `#/components/schemas/Order/$defs/Line`. */
const definitionsOf = (components: Blocks): Definitions =>
  remembered((reference) => {
    const steps = reference.split('/')
    const block = components.get(steps.slice(0, 4).join('/'))
    if (block === undefined) return null
    const schema = steps.slice(4).reduce((part, step) => ownIn(recordOf(part), step), fieldUnder(block))
    return schema === undefined ? null : { name: steps.at(-1) ?? '', schema }
  })

/** What a reference goes to, or what stands there itself. */
export function dereferenced(part: unknown, { definitions }: Document): FieldValues {
  const { $ref } = recordOf(part)
  return recordOf(typeof $ref === 'string' ? (definitions($ref)?.schema ?? part) : part)
}

/** Of what stands at the top, which concerns everybody; names and versions are free. */
export function headFindings(before: Document, after: Document): readonly ContractChange[] {
  const subject: ChangedPart = { kind: 'document', name: 'openapi.yml', route: null }
  return pairsIn(before.head, after.head).flatMap(([path, from, to]) => {
    if (from === to) return []
    const [old, current] = [from, to].map((text) => (text === undefined ? undefined : fieldUnder(text)))
    const [was, is] = [old, current].map(withoutScopes)
    if (isSame(was, is)) return []
    const isSaidOnly = isSame(withoutText(was), withoutText(is))
    const rule = isSaidOnly ? 'documented' : from === undefined ? 'harmless' : 'unknown'
    return [noticedBy('HTTP')(rule, subject, { path, before: old, after: current })]
  })
}

/** What is said of it aside. */
export const withoutText = (value: unknown): unknown => {
  const { description: _, ...rest } = recordOf(value)
  return hasFields(value) ? rest : value
}

/** The scopes of a security scheme are those of `mcp.yml`, which says more of them. */
function withoutScopes(scheme: unknown): unknown {
  const flows = Object.entries(recordOf(recordOf(scheme).flows))
  if (flows.length === 0) return scheme
  const rest = flows.map(([name, flow]): [string, unknown] => [name, { ...recordOf(flow), scopes: null }])
  return { ...recordOf(scheme), flows: Object.fromEntries(rest) }
}
