/** The keywords that are for what no other one of their schema, or of those beside it, evaluated. */
// Source: JSON Schema Core, 11.
import { isRecord } from '../structures.ts'
import type { Keyword, Misfit, Noted, Rule, Run, SchemaLocation } from './judge.ts'

type Part = readonly [name: string | number, value: unknown]

/** `partsOf` returns null for what the keyword does not speak of. */
const unevaluated =
  (partsOf: (value: unknown) => Iterable<Part> | null) =>
  (given: unknown, { node, nodeOf }: SchemaLocation): readonly Rule[] => {
    const rest = nodeOf(given)
    const others = [...node.rules]
    const judge = (value: unknown, run: Run): Misfit | null => {
      const parts = partsOf(value)
      if (parts === null) return null
      const noted: Noted = { isAll: false, names: new Set() }
      for (const rule of others) rule.note?.(value, run, noted)
      for (const [name, part] of noted.isAll ? [] : parts) {
        run.count(1)
        const wrong = noted.names.has(name) ? null : run.judgeInside(rest, name, part)
        if (wrong !== null) return wrong
      }
      return null
    }
    const note = (value: unknown, _run: Run, noted: Noted): void => {
      if (partsOf(value) !== null) noted.isAll = true
    }
    return [{ judge, note }]
  }

export const unevaluatedKeywords: readonly Keyword[] = [
  ['unevaluatedItems', unevaluated((value) => (Array.isArray(value) ? value.entries() : null))],
  ['unevaluatedProperties', unevaluated((value) => (isRecord(value) ? Object.entries(value) : null))],
]
