/** What is known of each kind of schema by those that ask no more: one row a kind, so that a new one does not compile without.
 *  How a kind is printed is said by each emitter, in a closed switch. */
import type { Schema } from './schema.ts'

interface KindFacts {
  /** Whether one text says a value: `exactly` where no other value has the same one, `readable` where a text can be read as
   *  one. Of lists, unions, names and tags their parts decide. */
  readonly text: 'exactly' | 'readable' | null
  /** Whether a value is one JSON text outside of a body. */
  readonly isJsonText: boolean
  /** Whether it may be a field of a form: clients show no other. Source: MCP 2026-07-28, Elicitation, requested schema. */
  readonly isField: boolean
}

const scalar: KindFacts = { text: 'exactly', isJsonText: false, isField: true }
/** Its values are compared where they matter. */
const choice: KindFacts = { ...scalar, text: 'readable' }
const structure: KindFacts = { text: null, isJsonText: true, isField: false }
/** Of which the inside decides. */
const around: KindFacts = { text: null, isJsonText: false, isField: true }
/** What is no JSON, or of which nothing is known. */
const opaque: KindFacts = { text: null, isJsonText: false, isField: false }

export const factsOfKinds: Readonly<Record<Schema['kind'], KindFacts>> = {
  string: scalar,
  template: scalar,
  date: scalar,
  integer: scalar,
  bigint: scalar,
  number: scalar,
  boolean: scalar,
  bytes: { ...opaque, text: 'readable' },
  null: { ...opaque, text: 'readable' },
  unknown: { ...opaque, text: 'readable' },
  literal: choice,
  enum: choice,
  converted: choice,
  object: structure,
  record: structure,
  tuple: structure,
  array: around,
  union: around,
  ref: around,
  constrained: around,
  never: opaque,
  file: opaque,
  binary: opaque,
  events: opaque,
}
