/** The constraint tags of a property, through whatever makes it of another one. */

import { rulesLost } from '../../diagnostics/decorator-diagnostics.ts'
import type { Schema } from '../../ir/schema.ts'
import { placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { constrain, constraintTags, rulesFor } from './constraints.ts'
import { declarationsOf, type MadeValue, madeValueOf } from './marks/property-origins.ts'
import { overridden } from './marks/written-types.ts'
import type { TypeReader } from './type-reader.ts'

/** The property's schema with the constraint tags of the aliases in its type, then those of what it overrides, then its own. */
export function withTags({ source, names }: TypeReader, symbol: ts.Symbol, plain: Schema): Schema {
  const declarations = declarationsOf(source, symbol)
  const made = madeValueOf(source, symbol)
  if (made !== null) {
    if (made.holdsValue && constraintTags(declarations).length > 0) reportLostTags(source, symbol, made)
    return names.aliased(plain, made.template)
  }
  const aliased = declarations.reduce(
    (schema, node) => ('type' in node ? names.aliased(schema, node.type as ts.TypeNode | undefined) : schema), // declarations of properties have it
    plain,
  )
  const above = rulesFor(aliased, constraintTags(overridden(source, declarations)))
  return constrain(source, aliased, [...above, ...constraintTags(declarations)])
}

/** A mapped type of the application that puts the value of a property into another one. */
function reportLostTags(source: Source, { name }: ts.Symbol, { template }: MadeValue): void {
  const alias = ts.findAncestor(template, ts.isTypeAliasDeclaration)
  if (alias === undefined || !source.isOwn(template.getSourceFile())) return
  source.report(rulesLost(placeOfNode(source, template), name, alias.name.text))
}
