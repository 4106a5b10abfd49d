/** The rules of `@mcp paging`: it names arguments of the tool, and a property of its answer. */

import {
  pagesByNoArgument,
  pagesByNoNumber,
  pagesByNoProperty,
  pagingUnused,
} from '../diagnostics/answer-diagnostics.ts'
import { didYouMean } from '../diagnostics/similar-names.ts'
import type { Diagnostic } from '../diagnostics/source-diagnostics.ts'
import type { Controller, Model, Tool } from '../ir/model.ts'
import { type Paging, pagingWords } from '../ir/paging.ts'
import type { Schema } from '../ir/schema.ts'
import { resolved } from '../schema/references.ts'

type Named = Model['schemas']

/** Everything that is wrong with it. */
export function checkPaging(controllers: readonly Controller[], named: Named): readonly Diagnostic[] {
  return controllers.flatMap(({ actions }) =>
    actions.flatMap(({ tool }) => {
      const paging = tool?.paging ?? null
      return tool === null || paging === null || paging.isNone ? [] : checkTool(tool, paging, named)
    }),
  )
}

function checkTool(tool: Tool, paging: Paging, named: Named): readonly Diagnostic[] {
  const inVain = tool.hints.readOnly ? [] : [pagingUnused(paging.at, tool.name)]
  return [...inVain, ...argumentsExist(tool, paging, named), ...propertyExists(tool, paging, named)]
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

function isNumber(schema: Schema, named: Named): boolean {
  const found = resolved(schema, named)
  if (found.kind === 'constrained') return isNumber(found.inner, named)
  if (found.kind === 'union')
    return found.members.every((member) => member.kind === 'null' || isNumber(member, named))
  return found.kind === 'integer' || found.kind === 'number'
}

function propertyExists(
  { name, output }: Tool,
  { names: { next }, at }: Paging,
  named: Named,
): readonly Diagnostic[] {
  if (next === undefined || output === null) return []
  let within: readonly string[] | null = null
  let schema: Schema | null = output
  for (const part of next.split('.')) {
    within = schema === null ? null : propertiesOf(schema, named)
    schema = schema === null ? null : propertyOf(schema, part, named)
    if (schema === null) break
  }
  return schema === null
    ? [pagesByNoProperty(at, name, next, didYouMean(next.split('.').at(-1) ?? '', within ?? []))]
    : []
}

const anything: Schema = { kind: 'unknown' }

/** Null where there is no such property; what nobody knows may have any. */
function propertyOf(schema: Schema, name: string, named: Named): Schema | null {
  const found = resolved(schema, named)
  if (found.kind === 'unknown') return anything
  if (found.kind === 'record') return found.values
  if (found.kind === 'constrained') return propertyOf(found.inner, name, named)
  if (found.kind === 'union')
    return (
      found.members.map((member) => propertyOf(member, name, named)).find((item) => item !== null) ?? null
    )
  if (found.kind !== 'object') return null
  return found.properties.find((property) => property.name === name)?.schema ?? found.rest?.values ?? null
}

function propertiesOf(schema: Schema, named: Named): readonly string[] {
  const found = resolved(schema, named)
  return found.kind === 'object' ? found.properties.map(({ name }) => name) : []
}
