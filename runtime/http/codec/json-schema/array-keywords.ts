/** The keywords that look at the items of lists. */
// Source: JSON Schema Core, 10.3.1; JSON Schema Validation, 6.4.
import { areUnique } from '../same-json.ts'
import {
  type Keyword,
  type Misfit,
  misfit,
  type Noted,
  type Rule,
  type Run,
  type SchemaLocation,
} from './judge.ts'

type Items = readonly unknown[]

/** A rule of lists, and what it evaluates of one. */
const ofLists = (
  judge: (items: Items, run: Run) => Misfit | null,
  note: (items: Items, run: Run, noted: Noted) => void = () => {},
): readonly Rule[] => [
  {
    judge: (value, run) => (Array.isArray(value) ? judge(value, run) : null),
    note: (value, run, noted) => {
      if (Array.isArray(value)) note(value, run, noted)
    },
  },
]

function prefixItems(keyword: Items, { nodeOf }: SchemaLocation): readonly Rule[] {
  const nodes = keyword.map(nodeOf)
  return ofLists(
    (items, run) => {
      for (const [index, node] of nodes.slice(0, items.length).entries()) {
        const wrong = run.judgeInside(node, index, items[index])
        if (wrong !== null) return wrong
      }
      return null
    },
    (items, _run, { names }) => {
      for (const index of nodes.slice(0, items.length).keys()) names.add(index)
    },
  )
}

/** Of those behind `prefixItems`. */
function items(keyword: unknown, { schema, nodeOf }: SchemaLocation): readonly Rule[] {
  const node = nodeOf(keyword)
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0
  return ofLists(
    (items, run) => {
      for (let index = first; index < items.length; index++) {
        const wrong = run.judgeInside(node, index, items[index])
        if (wrong !== null) return wrong
      }
      return null
    },
    (_items, _run, noted) => {
      noted.isAll = true
    },
  )
}

function contains(keyword: unknown, { schema, nodeOf }: SchemaLocation): readonly Rule[] {
  const node = nodeOf(keyword)
  const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema as Record<string, number> // the build has checked it
  const tooFew = misfit(`must contain at least ${minContains} of its items`)
  const tooMany = misfit(`must contain at most ${maxContains} of its items`)
  return ofLists(
    (items, run) => {
      let count = 0
      for (const item of items) if (run.judge(node, item) === null) count += 1
      if (count < minContains) return tooFew
      return count > maxContains ? tooMany : null
    },
    (items, run, { names }) => {
      for (const [index, item] of items.entries()) if (run.judge(node, item) === null) names.add(index)
    },
  )
}

function uniqueItems(isUnique: boolean): readonly Rule[] {
  if (!isUnique) return []
  const refused = misfit('must not have an item twice')
  return ofLists((items, run) => (areUnique(items, run.numbered) ? null : refused))
}

export const arrayKeywords: readonly Keyword[] = [
  ['prefixItems', prefixItems],
  ['items', items],
  ['contains', contains],
  ['uniqueItems', uniqueItems],
]
