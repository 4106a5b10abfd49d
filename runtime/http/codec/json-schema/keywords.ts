/** The keywords of JSON Schema 2020-12 that say what fits, in the order in which they are asked: what costs little first, what looks
 *  at what the others evaluated last. */
// Source: JSON Schema Core, 8.2.3, 10 and 11; JSON Schema Validation, 6. `$dynamicRef` is `$ref`: a file is one schema resource,
// and within one the only dynamic anchor of a name is the outermost.

import Format from 'typebox/format'
import { constraintCheck } from '../constraints.ts'
import { isRecord } from '../structures.ts'
import { arrayKeywords } from './array-keywords.ts'
import {
  type Keyword,
  type Misfit,
  misfit,
  type Node,
  type Rule,
  type Run,
  type SchemaLocation,
} from './judge.ts'
import { objectKeywords } from './object-keywords.ts'
import { isSame } from './same-json.ts'
import { unevaluatedKeywords } from './unevaluated.ts'

const types = new Map<string, (value: unknown) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => Number.isFinite(value)],
  ['integer', (value) => Number.isInteger(value)],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
  ['array', Array.isArray],
  ['object', isRecord],
])

/** A rule that evaluates nothing. */
const plain = (isTaken: (value: unknown) => boolean, message: string): readonly Rule[] => {
  const refused = misfit(message)
  return [{ judge: (value) => (isTaken(value) ? null : refused) }]
}

function typeRule(given: string | readonly string[]): readonly Rule[] {
  const names = [given].flat()
  const tests = names.flatMap((name) => types.get(name) ?? [])
  return plain((value) => tests.some((isOf) => isOf(value)), `must be ${names.join(' or ')}`)
}

function enumRule(given: readonly unknown[]): readonly Rule[] {
  const [structures, scalars] = [
    given.filter((one) => typeof one === 'object'),
    new Set(given.filter((one) => typeof one !== 'object')),
  ]
  return plain(
    (value) => scalars.has(value) || structures.some((one) => isSame(value, one)),
    'must be one of the allowed values',
  )
}

/** Those that the constraint tags of types have too. */
const constraintNames = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems'],
]

const constraint =
  (name: string) =>
  (given: unknown): readonly Rule[] => {
    const brokenBy = constraintCheck({ [name]: given })
    return [
      {
        judge: (value) => {
          const rule = brokenBy(value)
          return rule === null ? null : misfit(rule)
        },
      },
    ]
  }

/** More is no address, no name and no time: the library's expressions are not asked. */
const longestOfFormat = 8192

/** A format that nobody knows says nothing. */
const formatRule = (name: string): readonly Rule[] =>
  plain(
    (value) => typeof value !== 'string' || (value.length <= longestOfFormat && Format.Test(name, value)),
    `must match format "${name}"`,
  )

/** Of several that failed the one that came furthest: with a tag it is the member that was meant. */
function furthest(misfits: readonly Misfit[], message: string): Misfit {
  const best = misfits.reduce<Misfit | null>(
    (known, one) => (one.depth > (known?.depth ?? 0) ? one : known),
    null,
  )
  return best ?? misfit(message)
}

/** Schemas that are asked of the value itself, each of which evaluates what it takes. */
const beside = (
  nodes: readonly Node[],
  judge: (value: unknown, run: Run) => Misfit | null,
): readonly Rule[] => [
  {
    judge,
    note: (value, run, noted) => {
      for (const node of nodes) if (run.judge(node, value) === null) run.note(node, value, noted)
    },
  },
]

function allOf(nodes: readonly Node[]): readonly Rule[] {
  return beside(nodes, (value, run) => {
    for (const node of nodes) {
      const wrong = run.judge(node, value)
      if (wrong !== null) return wrong
    }
    return null
  })
}

function anyOf(nodes: readonly Node[]): readonly Rule[] {
  return beside(nodes, (value, run) => {
    const misfits: Misfit[] = []
    for (const node of nodes) {
      const wrong = run.judge(node, value)
      if (wrong === null) return null
      misfits.push(wrong)
    }
    return furthest(misfits, 'must match a schema of anyOf')
  })
}

function oneOf(nodes: readonly Node[]): readonly Rule[] {
  return beside(nodes, (value, run) => {
    const misfits = nodes.flatMap((node) => run.judge(node, value) ?? [])
    const taken = nodes.length - misfits.length
    if (taken === 1) return null
    return taken > 1
      ? misfit('must match one schema of oneOf alone')
      : furthest(misfits, 'must match a schema of oneOf')
  })
}

function not(node: Node): readonly Rule[] {
  const refused = misfit('must not match the schema of not')
  return [{ judge: (value, run) => (run.judge(node, value) === null ? refused : null) }]
}

function ifRule(given: unknown, { schema, nodeOf }: SchemaLocation): readonly Rule[] {
  const condition = nodeOf(given)
  const [fits, fails] = [nodeOf(schema.then ?? true), nodeOf(schema.else ?? true)]
  const next = (value: unknown, run: Run): Node => (run.judge(condition, value) === null ? fits : fails)
  return [
    {
      judge: (value, run) => run.judge(next(value, run), value),
      note: (value, run, noted) => {
        const node = next(value, run)
        if (node === fits) run.note(condition, value, noted)
        run.note(node, value, noted)
      },
    },
  ]
}

const reference = (given: string, { referred }: SchemaLocation): readonly Rule[] => allOf([referred(given)])

const several =
  (rules: (nodes: readonly Node[]) => readonly Rule[]) =>
  (given: readonly unknown[], { nodeOf }: SchemaLocation): readonly Rule[] =>
    rules(given.map(nodeOf))

export const keywords: readonly Keyword[] = [
  ['type', typeRule],
  ['const', (given: unknown) => plain((value) => isSame(value, given), 'must be equal to the constant')],
  ['enum', enumRule],
  ...constraintNames.map((name) => [name, constraint(name)] as const),
  ['format', formatRule],
  ...objectKeywords,
  ...arrayKeywords,
  ['$ref', reference],
  ['$dynamicRef', reference],
  ['if', ifRule],
  ['not', (given: unknown, { nodeOf }: SchemaLocation) => not(nodeOf(given))],
  ['allOf', several(allOf)],
  ['anyOf', several(anyOf)],
  ['oneOf', several(oneOf)],
  ...unevaluatedKeywords,
]
