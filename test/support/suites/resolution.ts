/** For `module.register`: what two packages are in a process of several suites.
 *  https://nodejs.org/docs/latest-v20.x/api/module.html#resolvespecifier-context-nextresolve */
import type { ResolveHook } from 'node:module'

const replaced: ReadonlyMap<string, string> = new Map([
  ['tap', new URL('./running-suite.js', import.meta.url).href],
  ['typescript', new URL('./typescript.js', import.meta.url).href],
])

export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  const url = replaced.get(specifier)
  return url === undefined ? nextResolve(specifier, context) : { url, format: 'module', shortCircuit: true }
}
