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

function typeRule(keyword: string | readonly string[]): readonly Rule[] {
  const names = [keyword].flat()
  const tests = names.flatMap((name) => types.get(name) ?? [])
  return plain((value) => tests.some((isOf) => isOf(value)), `must be ${names.join(' or ')}`)
}

const isStructure = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Takes what equals one of `given`. */
function equalsOneOf(
  keyword: readonly unknown[],
  message: string,
  { constants }: SchemaLocation,
): readonly Rule[] {
  const scalars = new Set(keyword.filter((value) => !isStructure(value)))
  const structures = new Set(keyword.filter(isStructure).map((item) => constants.of(item)))
  const refused = misfit(message)
  const judge = (value: unknown, run: Run): Misfit | null => {
    if (!isStructure(value)) return scalars.has(value) ? null : refused
    return structures.size > 0 && structures.has(run.numbered.of(value)) ? null : refused
  }
  return [{ judge }]
}

/** Those that the constraint tags of types have too. */
const constraintNames = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems'],
]

/** That a pattern looks at, or that are counted, in the time of a judgement. */
const charactersAJudgement = 32

const constraint =
  (name: string) =>
  (keyword: unknown): readonly Rule[] => {
    const brokenBy = constraintCheck({ [name]: keyword })
    return [
      {
        judge: (value, run) => {
          if (typeof value === 'string') run.count(value.length / charactersAJudgement)
          const rule = brokenBy(value)
          return rule === null ? null : misfit(rule)
        },
      },
    ]
  }

/** More is no address, no name and no time: the library's expressions are not asked. */
const longestOfFormat = 8192

/** More is no name of a host, which is seen at once. */
const longestHost = 253

const hostCost =
  (perTest: number, perCharacter: number, isCostly: RegExp) =>
  (text: string): number =>
    perTest + text.length + (isCostly.test(text) ? perCharacter * Math.min(text.length, longestHost) : 0)

/** What a test costs at worst, in judgements; with any other format one for each character. */
const formatCosts: ReadonlyMap<string, (text: string) => number> = new Map([
  ['regex', (text) => text.length + 2_500 * (text.split(/\\p/i).length - 1)], // V8 looks up each class of characters
  ['hostname', hostCost(12, 27, /xn--/)],
  ['idn-hostname', hostCost(40, 52, /xn--|[^\0-\x7f]/)],
])

const lengthOf = ({ length }: string): number => length

/** A format that nobody knows says nothing. */
function formatRule(name: string): readonly Rule[] {
  const refused = misfit(`must match format "${name}"`)
  const costOf = formatCosts.get(name) ?? lengthOf
  const judge = (value: unknown, run: Run): Misfit | null => {
    if (typeof value !== 'string') return null
    if (value.length > longestOfFormat) return refused
    run.count(costOf(value))
    return Format.Test(name, value) ? null : refused
  }
  return [{ judge }]
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

/** Of several that failed the one that came furthest is told: with a tag it is the member that was meant. */
const further = (known: Misfit, next: Misfit): Misfit => (next.depth > known.depth ? next : known)

function anyOf(nodes: readonly Node[]): readonly Rule[] {
  const refused = misfit('must match a schema of anyOf')
  return beside(nodes, (value, run) => {
    let furthest = refused
    for (const node of nodes) {
      const wrong = run.judge(node, value)
      if (wrong === null) return null
      furthest = further(furthest, wrong)
    }
    return furthest
  })
}

function oneOf(nodes: readonly Node[]): readonly Rule[] {
  const [refused, several] = [
    misfit('must match a schema of oneOf'),
    misfit('must match one schema of oneOf alone'),
  ]
  return beside(nodes, (value, run) => {
    let furthest = refused
    let taken = 0
    for (const node of nodes) {
      const wrong = run.judge(node, value)
      if (wrong === null) taken += 1
      else furthest = further(furthest, wrong)
      if (taken > 1) return several
    }
    return taken === 1 ? null : furthest
  })
}

function not(node: Node): readonly Rule[] {
  const refused = misfit('must not match the schema of not')
  return [{ judge: (value, run) => (run.judge(node, value) === null ? refused : null) }]
}

function ifRule(keyword: unknown, { schema, nodeOf }: SchemaLocation): readonly Rule[] {
  const condition = nodeOf(keyword)
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

const reference = (keyword: string, { referred }: SchemaLocation): readonly Rule[] =>
  allOf([referred(keyword)])

const several =
  (rules: (nodes: readonly Node[]) => readonly Rule[]) =>
  (keyword: readonly unknown[], { nodeOf }: SchemaLocation): readonly Rule[] =>
    rules(keyword.map(nodeOf))

export const keywords: readonly Keyword[] = [
  ['type', typeRule],
  ['const', (keyword: unknown, place) => equalsOneOf([keyword], 'must be equal to the constant', place)],
  [
    'enum',
    (keyword: readonly unknown[], place) => equalsOneOf(keyword, 'must be one of the allowed values', place),
  ],
  ...constraintNames.map((name) => [name, constraint(name)] as const),
  ['format', formatRule],
  ...objectKeywords,
  ...arrayKeywords,
  ['$ref', reference],
  ['$dynamicRef', reference],
  ['if', ifRule],
  ['not', (keyword: unknown, { nodeOf }: SchemaLocation) => not(nodeOf(keyword))],
  ['allOf', several(allOf)],
  ['anyOf', several(anyOf)],
  ['oneOf', several(oneOf)],
  ...unevaluatedKeywords,
]
