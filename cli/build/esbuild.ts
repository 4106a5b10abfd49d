/** How esbuild is asked for a bundle: its settings, its entries, and the modules that lie on no disk; and what it says, as diagnostics. */
import { resolve } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import { fileNotLoaded } from '../compiler/diagnostics/bundle-diagnostics.ts'
import { noModule } from '../compiler/diagnostics/import-diagnostics.ts'
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import type { At } from '../compiler/ir/schema.ts'
import { noRequire, notBundled } from './build-diagnostics.ts'

export type EsbuildSettings = BuildOptions & { readonly metafile: true; readonly write: false }

/** A source that is bundled as a program of its own, and the name of that program. */
export interface Program {
  readonly source: string
  readonly name: string
}

/** What is bundled has no path; as esbuild calls it among its inputs. */
export const entry = 'acmcp:entry'

const entryText = [
  `export { codecs } from './.acmcp/codecs.mjs'\n`,
  `export { catalogue, mcpDigest, version } from './.acmcp/catalogue.mjs'\n`,
  `export { routes } from './generated/routes.ts'\n`,
  `export { config } from './app/config.ts'\n`,
].join('')

/** Node.js knows no `sideEffects` of a package, and runs what is imported. */
export const esbuildSettings = (root: string, programs: readonly Program[]): EsbuildSettings => ({
  metafile: true,
  absWorkingDir: root,
  entryPoints: [
    { in: entry, out: 'app' },
    ...programs.map(({ source, name }) => ({ in: source, out: name.replace(/\.mjs$/, '') })),
  ],
  outdir: `${root}/.acmcp`,
  outExtension: { '.js': '.mjs' },
  write: false,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  external: ['codecs', 'catalogue'].map((name) => `${root}/.acmcp/${name}.mjs`),
  target: 'node20',
  ignoreAnnotations: true,
  sourcemap: true,
  sourcesContent: false,
  keepNames: true,
  logLevel: 'silent',
  logOverride: { 'unsupported-require-call': 'warning' },
})

/** The entry, and the generated modules as they will be, not as they lie on disk; `generated/` may not exist yet. */
export function unwritten(root: string, textOf: (path: string) => string | undefined): Plugin {
  const table = `${root}/generated/routes.ts`
  const inRoot = (path: string): string => path.slice(root.length + 1)
  return {
    name: 'acmcp-unwritten',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^acmcp:entry$/ }, () => ({ path: 'entry', namespace: 'acmcp' }))
      onLoad({ filter: /^entry$/, namespace: 'acmcp' }, () => ({ contents: entryText, resolveDir: root }))
      onResolve({ filter: /^\.\/generated\/routes\.ts$/ }, () => ({ path: table }))
      onResolve({ filter: /\/generated\/paths\.[jt]s$/ }, ({ resolveDir, path }) => {
        const target = resolve(resolveDir, path.replace(/js$/, 'ts'))
        return textOf(inRoot(target)) === undefined ? undefined : { path: target }
      })
      onLoad({ filter: /[/\\]generated[/\\](routes|paths)\.ts$/ }, ({ path }) => {
        const text = textOf(inRoot(path))
        const contents = text === undefined || path !== table ? text : importingFromRoot(text)
        return contents === undefined ? undefined : { contents, loader: 'ts', resolveDir: root }
      })
    },
  }
}

/** The table with imports that stand as if it lay in the application's directory, for a folder that does not exist has no
 *  neighbours. A plugin could say where each lies, but would be asked hundreds of times, through a pipe. */
const importingFromRoot = (table: string): string => table.replace(/^(import .* from ')\.\.\//gm, '$1./')

interface EsbuildMessage {
  readonly id: string
  readonly text: string
  readonly location: {
    readonly file: string
    readonly line: number
    readonly column: number
    readonly lineText: string
    readonly length: number
  } | null
}

/** Of what esbuild warns of, that which the running bundle would do otherwise than the sources. */
export function warned(messages: readonly EsbuildMessage[]): readonly Diagnostic[] {
  return messages.flatMap(({ id, text, location }) => {
    if (id === 'unsupported-require-call') return [noRequire(placeIn(location), '…')]
    if (id !== 'empty-glob') return []
    const [, pattern = ''] = /\("(.*)"\)/.exec(text) ?? []
    const why = 'there is no such file: for sources write their own extension, .ts'
    return [noModule(placeIn(location), pattern, why)]
  })
}

/** Why esbuild failed. */
export function failed(error: unknown): readonly Diagnostic[] {
  const isFailure = error instanceof Error && 'errors' in error && Array.isArray(error.errors)
  const messages: readonly EsbuildMessage[] = isFailure ? (error.errors as readonly EsbuildMessage[]) : [] // its BuildFailure
  if (messages.length === 0) return [notBundled(placeIn(null), String(error))]
  return messages.map(
    ({ text, location }) => notModule(text, location) ?? notBundled(placeIn(location), text),
  )
}

/** A file that is no module, which Node.js would not import either. */
function notModule(text: string, location: EsbuildMessage['location']): Diagnostic | null {
  if (!text.startsWith('No loader is configured for ') || location === null) return null
  const { lineText, column, length } = location
  const written = Buffer.from(lineText)
    .subarray(column, column + length)
    .toString()
    .replace(/^['"`]|['"`]$/g, '')
  return fileNotLoaded(placeIn(location), written)
}

const placeIn = (location: EsbuildMessage['location']): At => {
  const { file, line, column } = location ?? { file: 'app', line: 1, column: 0 }
  return { file, line, column: column + 1 }
}
