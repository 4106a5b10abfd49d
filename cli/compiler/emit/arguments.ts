/** The arguments of a tool: what of a request the model fills in. */
import type { Action, Param, Schema } from '../model.ts'

export interface ToolArgument {
  readonly argument: string
  readonly param: Param
}

/** Headers that every tool call carries over from its own request, and therefore no arguments. */
const forwarded = new Set(['authorization', 'cookie', 'x-api-key'])

const known = new WeakMap<Action, readonly ToolArgument[]>()

/** The arguments of a tool: the action's parameters, then those of every covering filter. */
export function toolArguments(action: Action): readonly ToolArgument[] {
  const found = known.get(action) ?? findArguments(action)
  known.set(action, found)
  return found
}

function findArguments(action: Action): readonly ToolArgument[] {
  const seen = new Map<string, ToolArgument>()
  const names = new Set<string>()
  for (const { params } of [action, ...action.filters]) {
    for (const param of params) {
      const key = `${param.from} ${param.wireName.toLowerCase()}`
      if (!isArgument(param) || seen.has(key)) continue
      const plain = plainName(param)
      const argument = names.has(plain) ? `${param.from}_${plain}` : plain
      names.add(argument)
      seen.set(key, { argument, param })
    }
  }
  return [...seen.values()]
}

const plainName = ({ from, wireName }: Param): string =>
  from === 'header' ? wireName.toLowerCase().replace(/[^a-z0-9_]/g, '_') : wireName

function isArgument({ from, wireName, schema }: Param): boolean {
  if (from === 'absent' || isUpload(schema)) return false
  return from !== 'cookie' && !(from === 'header' && forwarded.has(wireName.toLowerCase()))
}

/** Whether a parameter is an uploaded file, or a list of files. */
export function isUpload(schema: Schema): boolean {
  return schema.kind === 'file' || (schema.kind === 'array' && isUpload(schema.items))
}
