/** What is known of each kind of schema, whatever is printed of it: one row a kind, so that a new one does not compile without. */
import type { Schema } from './schema.ts'

/** Whether one text says a value: `exactly` where no other value has the same one, `readable` where a text can be read as
 *  one. Of lists, unions, names and tags their parts decide. */
export const textOfKinds: Readonly<Record<Schema['kind'], 'exactly' | 'readable' | null>> = {
  string: 'exactly',
  template: 'exactly',
  date: 'exactly',
  integer: 'exactly',
  bigint: 'exactly',
  number: 'exactly',
  boolean: 'exactly',
  bytes: 'readable',
  null: 'readable',
  unknown: 'readable',
  literal: 'readable', // values are compared where they matter
  enum: 'readable',
  converted: 'readable',
  object: null,
  record: null,
  tuple: null,
  array: null,
  union: null,
  ref: null,
  constrained: null,
  never: null,
  file: null,
  binary: null,
  events: null,
}
