/** What the settings in `app/config.ts` are set to, read without running it: literals, and the constants that are some. */

import type { WrittenSetting } from '../../../ir/source-model.ts'
import { placeOfNode, type Source } from '../../program/program.ts'
import { ts } from '../../program/typescript.ts'
import {
  membersOf,
  type Written,
  type WrittenProperty,
  writtenFlag,
  writtenItems,
  writtenText,
} from '../literals.ts'

/** `unseen` where only a run can tell. */
export function writtenSetting(source: Source, written: Written): WrittenSetting {
  const { expression, types } = written
  const at = placeOfNode(source, tokenOf(source, written))
  if (expression !== null && ts.isObjectLiteralExpression(expression))
    return { kind: 'object', ...objectFields(source, expression), at }
  const items =
    expression !== null && ts.isArrayLiteralExpression(expression) ? writtenItems(source, written) : null
  if (items !== null) return { kind: 'list', items: items.map((item) => writtenSetting(source, item)), at }
  const value = plainValue(source, written)
  if (value !== undefined) return { kind: 'plain', value, at }
  const isCallable = types().some((type) => type.getCallSignatures().length > 0)
  return { kind: isCallable ? 'function' : 'unseen', at }
}

/** The literal itself, where it is one of the application's, or what refers to it. */
const tokenOf = ({ isOwn }: Source, { node, expression }: Written): ts.Node =>
  expression !== null && isOwn(expression.getSourceFile()) ? expression : node

/** What a spread may have overwritten is not seen. */
function objectFields(
  source: Source,
  { properties }: ts.ObjectLiteralExpression,
): Pick<WrittenSetting & { readonly kind: 'object' }, 'fields' | 'hasMore'> {
  const found = new Map<string, WrittenProperty>()
  let hasMore = false
  for (const member of properties) {
    const more = membersOf(source, member)
    if ('unreadable' in more) {
      found.clear()
      hasMore = true
    } else for (const property of more) found.set(property.name, property)
  }
  const fields = [...found.values()].map(({ name, value }) => ({
    name,
    value: writtenSetting(source, value),
  }))
  return { fields, hasMore }
}

function plainValue(source: Source, written: Written): string | number | boolean | null | undefined {
  const types = written.types()
  if (types.some(({ flags }) => (flags & ts.TypeFlags.Null) !== 0)) return null
  const number = types.find((type) => type.isNumberLiteral())
  if (number?.isNumberLiteral() === true) return number.value
  return writtenText(source, written) ?? writtenFlag(source, written) ?? undefined
}
