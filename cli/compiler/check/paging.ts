/** The rules of `@mcp paging`: it names arguments of the tool, and a property of its answer. */

import {
  pagesByNoArgument,
  pagesByNoNumber,
  pagesByNoProperty,
  pagingUnused,
} from '../diagnostics/answer-diagnostics.ts'
import { didYouMean } from '../diagnostics/similar-names.ts'
import type { Diagnostic } from '../diagnostics/source-diagnostics.ts'
import type { Model, Tool } from '../ir/model.ts'
import { type Paging, pagingWords } from '../ir/paging.ts'
import type { Schema } from '../ir/schema.ts'
import { nextCursor, nonNullAlternatives, schemasAt } from '../schema/paging.ts'
import type { Subject } from './controller-rules.ts'

type Named = Model['schemas']

/** Everything that is wrong with it. */
export const pagingFits = ({ controller: { actions }, app: { schemas } }: Subject): readonly Diagnostic[] =>
  actions.flatMap(({ tool }) => {
    const paging = tool?.paging ?? null
    return tool === null || paging === null || paging.isNone ? [] : checkTool(tool, paging, schemas)
  })

function checkTool(tool: Tool, paging: Paging, named: Named): readonly Diagnostic[] {
  const unused = tool.hints.readOnly ? [] : [pagingUnused(paging.at, tool.name)]
  const wrong = argumentsExist(tool, paging, named)
  return [...unused, ...(wrong.length > 0 ? wrong : propertyExists(tool, paging, named))]
}

function argumentsExist(tool: Tool, { names, at }: Paging, named: Named): readonly Diagnostic[] {
  const known = tool.arguments.map(({ argument }) => argument)
  return pagingWords.flatMap((word) => {
    const name = names[word]
    if (word === 'next' || name === undefined) return []
    const found = tool.arguments.find(({ argument }) => argument === name)
    if (found === undefined) return [pagesByNoArgument(at, tool.name, name, didYouMean(name, known))]
    return word === 'cursor' || isNumber(found.param.schema, named) ? [] : [pagesByNoNumber(at, word, name)]
  })
}

const isNumber = (schema: Schema, named: Named): boolean =>
  nonNullAlternatives(schema, named).every(({ kind }) => kind === 'integer' || kind === 'number')

function propertyExists(
  { name, output }: Tool,
  { names: { cursor, next = nextCursor }, at }: Paging,
  named: Named,
): readonly Diagnostic[] {
  if (cursor === undefined || output === null) return []
  const path = next.split('.')
  if (schemasAt(output, path, named).length > 0) return []
  const missing = path.findIndex(
    (_, place) => schemasAt(output, path.slice(0, place + 1), named).length === 0,
  )
  const known = schemasAt(output, path.slice(0, missing), named)
    .flatMap((outer) => nonNullAlternatives(outer, named))
    .flatMap((value) => (value.kind === 'object' ? value.properties.map((property) => property.name) : []))
  return [pagesByNoProperty(at, name, next, didYouMean(path[missing] ?? '', known))]
}
