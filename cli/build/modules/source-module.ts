/** Goes into bundles whose modules ask where they lie: there `import.meta` is that of the bundle, and would name one place for all.
 *  What a module asks is answered as if it ran where its source lies. */
import { createRequire, isBuiltin } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a module has as `import.meta`. Source: Node.js, Modules: ECMAScript modules. */
interface SourceMeta {
  readonly dirname: string
  readonly filename: string
  readonly url: string
  resolve(specifier: string): string
  /** For `import name = require('…')`. */
  readonly require: NodeJS.Require
}

/** The `import.meta` of the source at `path`, relative to the bundle: always the same object. */
export function sourceModule(path: string): SourceMeta {
  const known = knownModules()
  const before = known.get(path)
  if (before !== undefined) return before
  const meta = metaOf(new URL(path, import.meta.url).href, path.startsWith('../../'))
  known.set(path, meta)
  return meta
}

/** The address of a program that was bundled beside this one. */
export function programAddress(name: string): string {
  return new URL(name, import.meta.url).href
}

/** Modules that import each other may call all this before the module itself is run: nothing of it is made then. */
function knownModules(): Map<string, SourceMeta> {
  const holder: typeof knownModules & { modules?: Map<string, SourceMeta> } = knownModules
  holder.modules ??= new Map()
  return holder.modules
}

function metaOf(url: string, isOutside: boolean): SourceMeta {
  const filename = fileURLToPath(url)
  const require = createRequire(url)
  const resolve = (specifier: string): string => {
    if (/^\.{0,2}\//.test(specifier)) return new URL(specifier, url).href
    return isOutside ? resolvedOutside(specifier, require) : import.meta.resolve(specifier)
  }
  const meta: SourceMeta = Object.create(null)
  const require_ = { value: require, configurable: true } // no module lists it
  const listed = Object.getOwnPropertyDescriptors({ dirname: dirname(filename), filename, resolve, url })
  return Object.defineProperties(meta, { ...listed, require: require_ })
}

/** Of another package, which may have packages of its own. */
function resolvedOutside(specifier: string, { resolve }: NodeJS.Require): string {
  if (isBuiltin(specifier) || URL.canParse(specifier)) return import.meta.resolve(specifier)
  try {
    return new URL(`file://${encodeURI(resolve(specifier)).replace(/[?#]/g, encodeURIComponent)}`).href
  } catch {
    return import.meta.resolve(specifier) // it has a form for `import` alone
  }
}
