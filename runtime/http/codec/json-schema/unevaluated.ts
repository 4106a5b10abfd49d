/** The keywords that are for what no other one of their schema, or of those beside it, evaluated. */
// Source: JSON Schema Core, 11.
import { isRecord } from '../structures.ts'
import type { Keyword, Misfit, Noted, Rule, Run, SchemaLocation } from './judge.ts'

type Names = Iterable<string | number>

/** `namesIn` returns null for what the keyword does not speak of. */
const unevaluated =
  (namesIn: (value: unknown) => Names | null) =>
  (keyword: unknown, { node, nodeOf }: SchemaLocation): readonly Rule[] => {
    const rest = nodeOf(keyword)
    const others = [...node.rules]
    const judge = (value: unknown, run: Run): Misfit | null => {
      const names = namesIn(value)
      if (names === null) return null
      const noted: Noted = { isAll: false, names: new Set() }
      for (const rule of others) rule.note?.(value, run, noted)
      const parts = value as Readonly<Record<string | number, unknown>> // it has names
      for (const name of noted.isAll ? [] : names) {
        run.count(1)
        const wrong = noted.names.has(name) ? null : run.judgeInside(rest, name, parts[name])
        if (wrong !== null) return wrong
      }
      return null
    }
    const note = (value: unknown, _run: Run, noted: Noted): void => {
      if (namesIn(value) !== null) noted.isAll = true
    }
    return [{ judge, note }]
  }

export const unevaluatedKeywords: readonly Keyword[] = [
  ['unevaluatedItems', unevaluated((value) => (Array.isArray(value) ? value.keys() : null))],
  ['unevaluatedProperties', unevaluated((value) => (isRecord(value) ? Object.keys(value) : null))],
]
