/** Where each parameter of a method is read from, once the address and the verb are known. */

import type { Param, Verb } from '../ir/model.ts'
import type { DeclaredParam } from '../ir/source-model.ts'
import { type Address, pathVariables, restVariable } from './addresses.ts'

/** One address of a route, with its verb. */
export interface Place extends Address {
  readonly verb: Verb
}

const bodiless: ReadonlySet<Verb> = new Set(['GET', 'DELETE', 'OPTIONS'])

/** The parameter as a request to `place` carries it. */
export function linkParam(param: DeclaredParam, place: Place): Param {
  const plain = bodiless.has(place.verb) ? 'query' : 'field'
  return { ...param, from: param.from ?? inPath(param.wireName, place) ?? plain }
}

function inPath(name: string, { path, absent }: Place): Param['from'] | null {
  if (absent.includes(name)) return 'absent'
  if (restVariable(path) === name) return 'rest'
  return pathVariables(path).includes(name) ? 'path' : null
}
