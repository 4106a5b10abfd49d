/** Where each parameter of a method is read from, once the address and the verb are known. */

import type { Verb } from '../ir/model.ts'
import type { DeclaredParam } from '../ir/source-model.ts'
import type { Param } from '../ir/steps.ts'
import { type Address, pathVariables, restVariable } from './addresses.ts'

/** One address of a route, with its verb. */
export interface RouteAddress extends Address {
  readonly verb: Verb
}

const bodiless: ReadonlySet<Verb> = new Set(['GET', 'DELETE', 'OPTIONS'])

/** The parameters as a request to `address` carries them. */
export function linkParams(params: readonly DeclaredParam[], address: RouteAddress): readonly Param[] {
  const takesBody = params.some(({ from }) => from === 'body')
  return params.map((param) => linkParam(param, address, takesBody))
}

/** Beside a whole body there are no fields: what the user is asked for stands in the query then. */
function linkParam(param: DeclaredParam, address: RouteAddress, takesBody: boolean): Param {
  const plain = bodiless.has(address.verb) || (takesBody && param.isElicited) ? 'query' : 'field'
  return { ...param, from: param.from ?? inPath(param.wireName, address) ?? plain }
}

function inPath(name: string, { path, absent }: RouteAddress): Param['from'] | null {
  if (absent.includes(name)) return 'absent'
  if (restVariable(path) === name) return 'rest'
  return pathVariables(path).includes(name) ? 'path' : null
}
