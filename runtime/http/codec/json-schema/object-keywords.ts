/** The keywords that look at the properties of objects. */
// Source: JSON Schema Core, 10.3.2; JSON Schema Validation, 6.5.
import { type TextPattern, textPattern } from '../../../text-patterns.ts'
import { isRecord } from '../structures.ts'
import {
  type Keyword,
  type Misfit,
  misfit,
  type Node,
  type Noted,
  type Rule,
  type Run,
  type SchemaLocation,
} from './judge.ts'

type SchemaRecord = Readonly<Record<string, unknown>>

/** A rule of objects, and what it evaluates of one. */
const ofObjects = (
  judge: (value: SchemaRecord, run: Run) => Misfit | null,
  note: (value: SchemaRecord, run: Run, noted: Noted) => void = () => {},
): readonly Rule[] => [
  {
    judge: (value, run) => (isRecord(value) ? judge(value, run) : null),
    note: (value, run, noted) => {
      if (isRecord(value)) note(value, run, noted)
    },
  },
]

/** What a name costs that is only looked up, in judgements. */
const lookedUp = 0.25

function needs(names: readonly string[]): (value: SchemaRecord, run: Run) => Misfit | null {
  const refusals = names.map((name) => [name, misfit(`must have the property ${name}`)] as const)
  return (value, run) => {
    for (const [name, refused] of refusals) {
      run.count(lookedUp)
      if (!Object.hasOwn(value, name)) return refused
    }
    return null
  }
}

const counts = (isTaken: (count: number) => boolean, message: string): readonly Rule[] => {
  const refused = misfit(message)
  return ofObjects((value, run) => {
    const { length } = Object.keys(value)
    run.count(length)
    return isTaken(length) ? null : refused
  })
}

/** Below this it does not matter how many names a value has. */
const fewNames = 8

/** Visits what a schema has for names that a value has too: of both those are gone through that are fewer. */
function visitShared<Held>(
  value: SchemaRecord,
  held: ReadonlyMap<string, Held>,
  { run, visit }: { readonly run: Run; readonly visit: (held: Held, name: string) => Misfit | null },
): Misfit | null {
  const names = held.size > fewNames ? Object.keys(value) : null
  for (const name of names !== null && names.length < held.size ? names : held.keys()) {
    run.count(lookedUp)
    const found = held.get(name)
    const wrong = found !== undefined && Object.hasOwn(value, name) ? visit(found, name) : null
    if (wrong !== null) return wrong
  }
  return null
}

/** Visits the properties of a value that a schema is for, until one does not fit. */
type VisitParts = (
  value: SchemaRecord,
  run: Run,
  visit: (node: Node, name: string) => Misfit | null,
) => Misfit | null

const inside = (visitParts: VisitParts): readonly Rule[] =>
  ofObjects(
    (value, run) => visitParts(value, run, (node, name) => run.judgeInside(node, name, value[name])),
    (value, run, { names }) => {
      visitParts(value, run, (_node, name) => {
        names.add(name)
        return null
      })
    },
  )

function properties(keyword: SchemaRecord, { nodeOf }: SchemaLocation): readonly Rule[] {
  const all = new Map(Object.entries(keyword).map(([name, schema]) => [name, nodeOf(schema)]))
  return inside((value, run, visit) => visitShared(value, all, { run, visit }))
}

const patternsOf = (keyword: object): readonly (readonly [pattern: TextPattern, schema: unknown])[] =>
  Object.entries(keyword).map(([pattern, schema]) => [textPattern(pattern), schema])

/** What a name costs that is held against a pattern, in judgements. */
const matched = 2

function patternProperties(keyword: SchemaRecord, { nodeOf }: SchemaLocation): readonly Rule[] {
  const all = patternsOf(keyword).map(([pattern, schema]) => [pattern, nodeOf(schema)] as const)
  return inside((value, run, visit) => {
    for (const name of Object.keys(value))
      for (const [pattern, node] of all) {
        run.count(matched)
        const wrong = pattern.test(name) ? visit(node, name) : null
        if (wrong !== null) return wrong
      }
    return null
  })
}

function additionalProperties(keyword: unknown, { schema, nodeOf }: SchemaLocation): readonly Rule[] {
  const node = nodeOf(keyword)
  const known = new Set(Object.keys(schema.properties ?? {}))
  const patterns = patternsOf(schema.patternProperties ?? {})
  const cost = lookedUp + matched * patterns.length
  return inside((value, run, visit) => {
    for (const name of Object.keys(value)) {
      run.count(cost)
      const isKnown = known.has(name) || patterns.some(([pattern]) => pattern.test(name))
      const wrong = isKnown ? null : visit(node, name)
      if (wrong !== null) return wrong
    }
    return null
  })
}

function propertyNames(keyword: unknown, { nodeOf }: SchemaLocation): readonly Rule[] {
  const node = nodeOf(keyword)
  return ofObjects((value, run) => {
    const wrong = Object.keys(value).find((name) => run.judge(node, name) !== null)
    return wrong === undefined
      ? null
      : misfit(`the name ${JSON.stringify(wrong.slice(0, 50))} is not allowed`)
  })
}

function dependentRequired(keyword: Readonly<Record<string, readonly string[]>>): readonly Rule[] {
  const all = new Map(Object.entries(keyword).map(([name, needed]) => [name, needs(needed)]))
  return ofObjects((value, run) =>
    visitShared(value, all, { run, visit: (missingOf) => missingOf(value, run) }),
  )
}

function dependentSchemas(keyword: SchemaRecord, { nodeOf }: SchemaLocation): readonly Rule[] {
  const all = new Map(Object.entries(keyword).map(([name, schema]) => [name, nodeOf(schema)]))
  return ofObjects(
    (value, run) => visitShared(value, all, { run, visit: (node) => run.judge(node, value) }),
    (value, run, noted) => {
      visitShared(value, all, {
        run,
        visit: (node) => {
          run.note(node, value, noted)
          return null
        },
      })
    },
  )
}

export const objectKeywords: readonly Keyword[] = [
  ['required', (keyword: readonly string[]) => ofObjects(needs(keyword))],
  [
    'minProperties',
    (least: number) => counts((count) => count >= least, `must have at least ${least} properties`),
  ],
  [
    'maxProperties',
    (most: number) => counts((count) => count <= most, `must have at most ${most} properties`),
  ],
  ['dependentRequired', dependentRequired],
  ['propertyNames', propertyNames],
  ['properties', properties],
  ['patternProperties', patternProperties],
  ['additionalProperties', additionalProperties],
  ['dependentSchemas', dependentSchemas],
]
