/** For `module.register`: in a process of several suites `tap` is the running suite's test.
 *  https://nodejs.org/docs/latest-v20.x/api/module.html#resolvespecifier-context-nextresolve */
import type { ResolveHook } from 'node:module'

const url = new URL('./running-suite.js', import.meta.url).href

export const resolve: ResolveHook = (specifier, context, nextResolve) =>
  specifier === 'tap' ? { url, format: 'module', shortCircuit: true } : nextResolve(specifier, context)
