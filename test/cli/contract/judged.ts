/** What `SchemaComparison` says of pairs of schemas, beside what a judge of another make says of them. */
import { SchemaComparison } from '../../../cli/capabilities/contract/schemas/compare.ts'
import type { Direction } from '../../../cli/capabilities/contract/schemas/pairs.ts'
import type { Schema, SchemaPair } from './random-schemas.ts'

/** `removed`: a value of the old schema is none of the new one. `added`: the other way round. */
export interface Judged extends SchemaPair {
  readonly removed: boolean
  readonly added: boolean
}

const stopping: ReadonlySet<string> = new Set(['type', 'value', 'bound', 'required', 'closed', 'unknown'])

/** What the judge holds against what we say, in words. */
export function disagreements(pairs: readonly Judged[]): readonly string[] {
  return pairs.flatMap(({ before, after, removed, added }) =>
    (
      [
        ['input', removed],
        ['output', added],
      ] as const
    ).flatMap(([direction, expected]) =>
      isWorse({ before, after }, direction) === expected
        ? []
        : [`${direction}: ${expected ? 'missed' : 'told in vain'}: ${JSON.stringify([before, after])}`],
    ),
  )
}

/** Whether something is stopped, or nobody can say. */
export function isWorse({ before, after }: SchemaPair, direction: Direction): boolean {
  const comparison = new SchemaComparison(definitionsOf(before), definitionsOf(after), {
    hasOpenObjects: true,
  })
  return comparison
    .compare(whole(before), whole(after), direction)
    .some(({ kind, isCompatible }) => !isCompatible && stopping.has(kind))
}

const whole = ({ definitions: _, ...schema }: Schema): Schema => schema

const definitionsOf =
  ({ definitions }: Schema) =>
  (reference: string): { readonly name: string; readonly schema: unknown } | null => {
    const name = reference.slice(reference.lastIndexOf('/') + 1)
    const schema: unknown = Reflect.get(Object(definitions ?? {}), name)
    return schema === undefined ? null : { name, schema }
  }
