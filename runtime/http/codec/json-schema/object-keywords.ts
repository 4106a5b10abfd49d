/** The keywords that look at the properties of objects. */
// Source: JSON Schema Core, 10.3.2; JSON Schema Validation, 6.5.
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

type Given = Readonly<Record<string, unknown>>

/** A rule of objects, and what it evaluates of one. */
const ofObjects = (
  judge: (value: Given, run: Run) => Misfit | null,
  note: (value: Given, run: Run, noted: Noted) => void = () => {},
): readonly Rule[] => [
  {
    judge: (value, run) => (isRecord(value) ? judge(value, run) : null),
    note: (value, run, noted) => {
      if (isRecord(value)) note(value, run, noted)
    },
  },
]

const needs =
  (names: readonly string[]) =>
  (value: Given): Misfit | null => {
    const missing = names.find((name) => !Object.hasOwn(value, name))
    return missing === undefined ? null : misfit(`must have the property ${missing}`)
  }

const counts = (isTaken: (count: number) => boolean, message: string): readonly Rule[] =>
  ofObjects((value, run) => {
    const { length } = Object.keys(value)
    run.count(length)
    return isTaken(length) ? null : misfit(message)
  })

/** The properties of a value that a schema is for, each with its node. */
type Parts = (value: Given, run: Run) => readonly (readonly [name: string, node: Node])[]

const inside = (partsOf: Parts): readonly Rule[] =>
  ofObjects(
    (value, run) => {
      for (const [name, node] of partsOf(value, run)) {
        const wrong = run.judgeInside(node, name, value[name])
        if (wrong !== null) return wrong
      }
      return null
    },
    (value, run, { names }) => {
      for (const [name] of partsOf(value, run)) names.add(name)
    },
  )

function properties(given: Given, { nodeOf }: SchemaLocation): readonly Rule[] {
  const all = Object.entries(given).map(([name, schema]) => [name, nodeOf(schema)] as const)
  return inside((value) => all.filter(([name]) => Object.hasOwn(value, name)))
}

const patternsOf = (given: object): readonly (readonly [pattern: RegExp, schema: unknown])[] =>
  Object.entries(given).map(([pattern, schema]) => [new RegExp(pattern, 'u'), schema])

function patternProperties(given: Given, { nodeOf }: SchemaLocation): readonly Rule[] {
  const all = patternsOf(given).map(([pattern, schema]) => [pattern, nodeOf(schema)] as const)
  return inside((value, run) => {
    const names = Object.keys(value)
    run.count(names.length * all.length)
    return names.flatMap((name) =>
      all.flatMap(([pattern, node]) => (pattern.test(name) ? [[name, node] as const] : [])),
    )
  })
}

function additionalProperties(given: unknown, { schema, nodeOf }: SchemaLocation): readonly Rule[] {
  const node = nodeOf(given)
  const known = new Set(Object.keys(schema.properties ?? {}))
  const patterns = patternsOf(schema.patternProperties ?? {})
  return inside((value, run) => {
    const names = Object.keys(value)
    run.count(names.length)
    return names.flatMap((name) =>
      known.has(name) || patterns.some(([pattern]) => pattern.test(name)) ? [] : [[name, node] as const],
    )
  })
}

function propertyNames(given: unknown, { nodeOf }: SchemaLocation): readonly Rule[] {
  const node = nodeOf(given)
  return ofObjects((value, run) => {
    const wrong = Object.keys(value).find((name) => run.judge(node, name) !== null)
    return wrong === undefined
      ? null
      : misfit(`the name ${JSON.stringify(wrong.slice(0, 50))} is not allowed`)
  })
}

function dependentRequired(given: Readonly<Record<string, readonly string[]>>): readonly Rule[] {
  const all = Object.entries(given).map(([name, needed]) => [name, needs(needed)] as const)
  return ofObjects((value) => {
    for (const [name, missingOf] of all) {
      const missing = Object.hasOwn(value, name) ? missingOf(value) : null
      if (missing !== null) return missing
    }
    return null
  })
}

function dependentSchemas(given: Given, { nodeOf }: SchemaLocation): readonly Rule[] {
  const all = Object.entries(given).map(([name, schema]) => [name, nodeOf(schema)] as const)
  return ofObjects(
    (value, run) => {
      for (const [name, node] of all) {
        const wrong = Object.hasOwn(value, name) ? run.judge(node, value) : null
        if (wrong !== null) return wrong
      }
      return null
    },
    (value, run, noted) => {
      for (const [name, node] of all) if (Object.hasOwn(value, name)) run.note(node, value, noted)
    },
  )
}

export const objectKeywords: readonly Keyword[] = [
  ['required', (given: readonly string[]) => ofObjects(needs(given))],
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
