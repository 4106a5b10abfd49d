/** The inputs of a route, and which of them are arguments of its tool: what of a request its caller may choose.
 *  Source: house.md, The runtime; language.md, Parameters. */
import { isCallerHeader, isCarried, whyNeverForwarded } from '../../../runtime/caller-headers.ts'
import type { Action, Tool, ToolArgument } from '../ir/model.ts'
import { safeName } from '../ir/safe-names.ts'
import { isFile } from '../ir/schema-walk.ts'
import type { Param, ParamSource } from '../ir/steps.ts'

type Inputs = Pick<Action, 'params' | 'filters' | 'inputs'>

/** The action's parameters, then those of every covering filter; of two that read the same the first speaks for both. */
export function inputsOf({ params, filters }: Omit<Inputs, 'inputs'>): readonly Param[] {
  const unique = new Map<string, Param>()
  for (const param of [...params, ...filters.flatMap((filter) => filter.params)]) {
    const key = keyOf(param)
    if (!unique.has(key)) unique.set(key, param)
  }
  return [...unique.values()]
}

/** A filter that reads the header Authorization guards its routes; an action that reads it can do without. */
export function guardOf({ params, filters }: Omit<Inputs, 'inputs'>): Action['guard'] {
  const reads = (list: readonly Param[]): boolean =>
    list.some((param) => isHeader(param) && param.wireName.toLowerCase() === 'authorization')
  if (filters.some((filter) => reads(filter.params))) return 'required'
  return reads(params) ? 'optional' : 'none'
}

/** The headers in `mcp.forwardHeaders`, in lower case. */
export type Forwarded = ReadonlySet<string>

/** The arguments. What a filter reads in a header identifies the caller; that is no argument, even if the action reads it too. Neither is
 *  what the client's own request gives. */
export function toolArguments({ filters, inputs }: Inputs, forwarded: Forwarded): readonly ToolArgument[] {
  const guarded = new Set(filters.flatMap((filter) => filter.params.filter(isHeader).map(keyOf)))
  return named(
    inputs.filter((param) => isChosen(param) && !guarded.has(keyOf(param)) && !isForwarded(param, forwarded)),
  )
}

const isForwarded = (param: Param, forwarded: Forwarded): boolean =>
  isHeader(param) && forwarded.has(param.wireName.toLowerCase())

/** What a tool has of the headers of its route. */
export function toolHeaders(inputs: Inputs, forwarded: Forwarded): Pick<Tool, 'missing' | 'unsent'> {
  return { missing: missingHeaders(inputs, forwarded), unsent: unsentHeaders(inputs, forwarded) }
}

/** The required headers without a source: neither does a client's tool call carry them, nor may the model choose. */
function missingHeaders(inputs: Inputs, forwarded: Forwarded): readonly Param[] {
  const chosen = new Set(toolArguments(inputs, forwarded).map(({ param }) => keyOf(param)))
  return [inputs, ...inputs.filters]
    .flatMap(({ params }) => params)
    .filter((param) => param.required && isLeftBehind(param, forwarded) && !chosen.has(keyOf(param)))
}

/** The action's own are arguments. What can never be carried, a filter can only do without. */
function unsentHeaders({ filters }: Inputs, forwarded: Forwarded): readonly Param[] {
  return filters
    .flatMap(({ params }) => params)
    .filter((param) => !param.required && isLeftBehind(param, forwarded))
    .filter(({ wireName }) => whyNeverForwarded(wireName) === null)
}

const isLeftBehind = (param: Param, forwarded: Forwarded): boolean =>
  isHeader(param) && !isCarried(param.wireName) && !isForwarded(param, forwarded)

const isHeader = ({ from }: Param): boolean => from === 'header'

const keyOf = ({ from, wireName }: Param): string =>
  `${from} ${from === 'header' ? wireName.toLowerCase() : wireName}`

/** Where a model may fill something in: every new place must say so. */
const isModelsChoice: Readonly<Record<ParamSource, boolean>> = {
  path: true,
  rest: true,
  query: true,
  header: true,
  body: true,
  field: true,
  cookie: false,
  absent: false,
}

function isChosen({ from, wireName, schema }: Param): boolean {
  if (!isModelsChoice[from] || isFile(schema)) return false
  return from !== 'header' || !isCallerHeader(wireName)
}

/** Each has a name of its own: two of one public name say where they are read. Only two names of which one is made safe for clients
 *  may be equal: that is a mistake (`check/tools/safe-names.ts`). */
function named(params: readonly Param[]): readonly ToolArgument[] {
  const taken = new Map<string, Param>()
  return params.map((param) => {
    const plain = plainName(param)
    const first = taken.get(plain)
    if (first !== undefined && isClash(first, param)) return { argument: plain, param }
    const names = [plain, safeName(`${param.from}_${plain}`)]
    for (let count = 2; names.every((name) => taken.has(name)); count++) names.push(`${plain}_${count}`)
    const argument = names.find((name) => !taken.has(name)) ?? plain
    taken.set(argument, param)
    return { argument, param }
  })
}

const isClash = (first: Param, second: Param): boolean =>
  first.wireName !== second.wireName && !isHeader(first) && !isHeader(second)

const plainName = ({ from, wireName }: Param): string =>
  safeName(from === 'header' ? wireName.toLowerCase().replace(/[^a-z0-9_]/g, '_') : wireName)
