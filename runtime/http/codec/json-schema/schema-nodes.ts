/** Makes nodes of a JSON Schema 2020-12. The build has refused what no rule knows, and references that lead out of the file. */

import { Numbered } from '../same-json.ts'
import { isRecord } from '../structures.ts'
import { misfit, type Node, type Rule, type SchemaLocation } from './judge.ts'
import { keywords } from './keywords.ts'

const nothing: Rule = { judge: () => misfit('is not known') }

/** The node of the whole schema, its first, and the constants in all of it. */
export function nodesOf(root: Readonly<Record<string, unknown>>): {
  readonly node: Node
  readonly constants: Numbered
} {
  const constants = new Numbered(null)
  const known = new Map<unknown, Node>()
  const hasUnevaluated = /"unevaluated(Items|Properties)":/.test(JSON.stringify(root)) // of each value, by every schema around
  let count = 0
  const nodeOf = (schema: unknown): Node => {
    const before = known.get(schema)
    if (before !== undefined) return before
    const node: Node = { id: count, rules: [], isShared: hasUnevaluated }
    count += 1
    known.set(schema, node)
    if (schema === false) node.rules.push(nothing)
    if (!isRecord(schema)) return node
    const place: SchemaLocation = { schema, node, nodeOf, referred, constants }
    for (const [name, rulesOf] of keywords)
      if (Object.hasOwn(schema, name)) node.rules.push(...rulesOf(schema[name] as never, place)) // the build has checked it
    return node
  }
  const referred = (reference: string): Node => {
    const node = nodeOf(targetOf(root, reference))
    node.isShared = true
    return node
  }
  return { node: nodeOf(root), constants }
}

/** What `#`, `#/a/pointer` or `#anchor` names. */
function targetOf(root: unknown, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return anchored(root, reference.slice(1))
  const steps = reference.slice(2).split('/')
  return steps.reduce((value: unknown, step) => {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined
  }, root)
}

function anchored(value: unknown, anchor: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (isRecord(value) && (value.$anchor === anchor || value.$dynamicAnchor === anchor)) return value
  for (const inner of Object.values(value)) {
    const found = anchored(inner, anchor)
    if (found !== undefined) return found
  }
  return undefined
}
