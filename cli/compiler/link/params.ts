/** Where each parameter of a method is read from, once the address and the verb are known. */

import type { Verb } from '../ir/model.ts'
import { isFile } from '../ir/schema-walk.ts'
import type { DeclaredParam } from '../ir/source-model.ts'
import type { Param } from '../ir/steps.ts'
import { type Address, pathVariables, restVariable } from './addresses.ts'

/** One address of a route, with its verb. */
export interface RouteAddress extends Address {
  readonly verb: Verb
  /** The action takes a `Body<T>`: beside it there are no fields. */
  readonly takesBody: boolean
}

const bodiless: ReadonlySet<Verb> = new Set(['GET', 'DELETE', 'OPTIONS'])

/** Whether the method reads its body as one value. */
export const takesBody = (params: readonly DeclaredParam[]): boolean =>
  params.some(({ from }) => from === 'body')

/** The parameters as a request to `address` carries them, of the action, its filters and its handlers alike. */
export function linkParams(params: readonly DeclaredParam[], address: RouteAddress): readonly Param[] {
  return params.map((param) => ({
    ...param,
    from: param.from ?? inPath(param.wireName, address) ?? plainSource(param, address),
  }))
}

/** Files are fields wherever they stand: no query carries them. */
function plainSource({ schema }: DeclaredParam, { verb, takesBody }: RouteAddress): Param['from'] {
  return bodiless.has(verb) || (takesBody && !isFile(schema)) ? 'query' : 'field'
}

function inPath(name: string, { path, absent }: RouteAddress): Param['from'] | null {
  if (absent.includes(name)) return 'absent'
  if (restVariable(path) === name) return 'rest'
  return pathVariables(path).includes(name) ? 'path' : null
}
