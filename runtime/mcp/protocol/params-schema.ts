/** What the SDK is told of the parameters of a method that it does not know. Source: standardschema.dev, version 1. */
import { isObject, type WireObject } from './constants.ts'

export interface ParamsSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => ValidatedParams
    readonly types?: { readonly input: unknown; readonly output: WireObject }
  }
}

type ValidatedParams =
  | { readonly value: WireObject }
  | { readonly issues: readonly { readonly message: string; readonly path: readonly string[] }[] }

/** `needed` are texts, `others` texts where they are there; what else is sent is left out. */
export function textParams(needed: readonly string[], others: readonly string[]): ParamsSchema {
  const validate = (sent: unknown): ValidatedParams => {
    const params = isObject(sent) ? sent : {}
    const wrong =
      needed.find((name) => typeof params[name] !== 'string') ??
      others.find((name) => params[name] !== undefined && typeof params[name] !== 'string')
    if (wrong !== undefined) return { issues: [{ message: `${wrong} must be a text`, path: [wrong] }] }
    return { value: Object.fromEntries([...needed, ...others].map((name) => [name, params[name]])) }
  }
  return { '~standard': { version: 1, vendor: 'acmcp', validate } }
}
