/** Unions of many objects that nothing tells apart: each value is tried against every one. */

import { wideUnion } from '../diagnostics/model-diagnostics.ts'
import type { Diagnostic } from '../diagnostics/source-diagnostics.ts'
import type { Model } from '../ir/model.ts'
import type { Schema } from '../ir/schema.ts'
import { bare, childrenOf } from '../ir/schema-walk.ts'
import { reachable, resolved } from '../schema/references.ts'
import type { Subject } from './controller-rules.ts'

/** More of them are warned of. */
const maxUntagged = 12

/** Of what callers send; once a parameter. */
export function unionsAreNarrow({ controller, app: { schemas } }: Subject): readonly Diagnostic[] {
  return controller.actions
    .filter(({ shortOf }) => shortOf === null)
    .flatMap(({ params }) => params)
    .flatMap(({ name, schema, at }) => {
      const all = [schema, ...reachable([schema], schemas).map((named) => named.schema)]
      const widest = Math.max(0, ...all.map((item) => untaggedIn(item, schemas)))
      return widest > maxUntagged ? [wideUnion(at, name, widest, maxUntagged)] : []
    })
}

/** How many objects the widest union within `schema` has that no property tells apart. */
function untaggedIn(schema: Schema, named: Model['schemas']): number {
  const inside = childrenOf(schema).map((child) => untaggedIn(child, named))
  if (schema.kind !== 'union' || schema.discriminator !== null) return Math.max(0, ...inside)
  const objects = schema.members.filter((member) => bare(resolved(member, named)).kind === 'object')
  return Math.max(objects.length, ...inside)
}
