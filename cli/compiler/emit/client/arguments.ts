/** What a caller of the client gives to a method: every input of the route, each under a name of its own. */
import type { Action } from '../../ir/model.ts'
import type { Param } from '../../ir/steps.ts'

export interface ClientArgument {
  readonly name: string
  readonly param: Param
  readonly isOptional: boolean
}

/** What the client, or `fetch` itself, sends without being asked. Source: Fetch, forbidden request-headers. */
const sent = new Set(
  'accept accept-charset accept-encoding authorization connection content-length content-type cookie date expect host'
    .concat(' keep-alive origin referer te trailer transfer-encoding upgrade via')
    .split(' '),
)

/** In the order of the inputs; two of one name say where they are read. */
export function clientArguments({ inputs, optional }: Action): readonly ClientArgument[] {
  const taken = new Set(Object.getOwnPropertyNames(Object.prototype)) // of no object can they be left out
  return inputs.filter(isArgument).map((param) => {
    const plain = plainName(param)
    const names = [plain, `${plain}In${param.from.charAt(0).toUpperCase()}${param.from.slice(1)}`]
    for (let count = 2; names.every((name) => taken.has(name)); count++) names.push(`${plain}${count}`)
    const name = names.find((text) => !taken.has(text)) ?? plain
    taken.add(name)
    return { name, param, isOptional: isOptional(param, optional) }
  })
}

const isOptional = ({ required, from, wireName }: Param, optional: Action['optional']): boolean =>
  !required || (from === 'path' && optional.includes(wireName))

const isArgument = ({ from, wireName }: Param): boolean =>
  from !== 'absent' && !(from === 'header' && sent.has(wireName.toLowerCase()))

/** Headers and cookies have the names of the source. */
const plainName = ({ from, name, wireName }: Param): string =>
  from === 'header' || from === 'cookie' ? name : wireName
