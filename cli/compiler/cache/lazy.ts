/** What was read by an earlier process. It is parsed when somebody looks into it: after a change most of it is only handed
 *  on. Each is made once, so that one object stands for one content here too. */

import type { NamedSchema } from '../ir/schema.ts'
import type { DeclaredController } from '../ir/source-model.ts'

/** The value of `make`, which is called at most once. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | null = null
  return () => {
    made ??= make()
    return made
  }
}

/** The JSON of what was not parsed. */
const texts = new WeakMap<object, () => string>()

/** The JSON of what was read; as it was written when it comes from an earlier process. */
export const textOf = (one: object): string => texts.get(one)?.() ?? JSON.stringify(one)

/** The named schema that `text` holds. */
export function lazyNamed(name: string, text: () => string): NamedSchema {
  const parsed = once<NamedSchema>(() => JSON.parse(text()))
  const named: NamedSchema = {
    name,
    get schema() {
      return parsed().schema
    },
    get doc() {
      return parsed().doc
    },
    get at() {
      return parsed().at
    },
  }
  texts.set(named, text)
  return named
}

/** What of a controller is there without parsing. */
export type Head = Pick<DeclaredController, 'symbol' | 'doc' | 'at'>

/** The controller that `text` holds. */
export function lazyController({ symbol, doc, at }: Head, text: () => string): DeclaredController {
  const parsed = once<DeclaredController>(() => JSON.parse(text()))
  const controller: DeclaredController = {
    symbol,
    get base() {
      return parsed().base
    },
    get hidden() {
      return parsed().hidden
    },
    get skips() {
      return parsed().skips
    },
    get tls() {
      return parsed().tls
    },
    get methods() {
      return parsed().methods
    },
    doc,
    at,
  }
  texts.set(controller, text)
  return controller
}
