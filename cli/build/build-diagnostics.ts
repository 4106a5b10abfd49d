/** What is wrong with the application's files rather than with its sources (ACM3…), as the diagnostics that it is shown
 *  with. One function a diagnostic. */
import { type Diagnostic, error, warning } from '../compiler/diagnostics/source-diagnostics.ts'
import type { At } from '../compiler/ir/schema.ts'

export const notBundled = (at: At, message: string): Diagnostic =>
  error('ACM301', at, [
    message,
    'The message is of esbuild, which makes the bundle: correct the import or the syntax.',
  ])

export const handEdited = (at: At): Diagnostic =>
  error('ACM302', at, [
    `${at.file} was edited by hand from here on`,
    'It is generated: change the doc comment, or the text in app/config.ts, and build with --overwrite.',
  ])

export const stale = (at: At, path: string): Diagnostic =>
  error('ACM303', at, [`${path} is stale`, 'Run `acmcp build` and commit what it writes.'])

export const mergeConflict = (at: At, paths: string): Diagnostic =>
  error('ACM304', at, [
    `a merge conflict is left in ${paths}`,
    'Resolve it in the sources under app/ alone, then run `acmcp build --overwrite`: it writes these files anew.',
  ])

/** `why` ends a sentence. */
export const peerMissing = (at: At, specifier: string, why: string): Diagnostic =>
  warning('ACM324', at, [
    `'${specifier}' cannot be found: ${why}`,
    'What stands around this import() catches that. Install it where it is wanted, or leave it.',
  ])

/** `argument`: as it stands in the source. */
export const noRequire = (at: At, argument: string): Diagnostic =>
  error('ACM325', at, [
    `require(${argument}) cannot be bundled: the bundle is an ES module, which has no require`,
    "Write an import; or make one: import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
  ])
