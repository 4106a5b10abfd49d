/** `.acmcp/app.mjs`, by esbuild: the application and its route table. */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { BuildContext, BuildOptions, BuildResult, Plugin } from 'esbuild'
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import { notBundled } from './build-diagnostics.ts'

/** By `require`: an `import` would first search it for the names of exports, which takes four times as long as to load it. */
const { context, stop }: typeof import('esbuild') = createRequire(import.meta.url)('esbuild')

export interface App {
  /** Absolute paths. */
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[]
  readonly inputs: readonly string[]
}

/** The generated modules that can go into a bundle. */
export const modulePaths: readonly string[] = ['generated/routes.ts', 'generated/paths.ts']

/** Their texts by path. */
export type Modules = ReadonlyMap<string, string>

/** The application cannot be bundled. */
export class BundleError extends Error {
  readonly diagnostics: readonly Diagnostic[]
  constructor(cause: unknown) {
    super('the application cannot be bundled', { cause })
    this.diagnostics = diagnosticsOf(cause)
  }
}

type Settings = BuildOptions & { readonly metafile: true; readonly write: false }

/** esbuild, which is a process of its own, for one application: each bundle takes over what it can from the one before. */
export class AppBundler {
  readonly #root: string
  readonly #isLast: boolean
  #context: BuildContext<Settings> | null = null
  #modules: Modules = new Map()

  constructor(root: string, isLast: boolean) {
    this.#root = root
    this.#isLast = isLast
  }

  /** Bundles the application with these modules, whatever lies on disk. */
  async bundle(modules: Modules): Promise<App> {
    this.#modules = modules
    try {
      const plugins = [unwritten(this.#root, (path) => this.#modules.get(path))]
      this.#context ??= await context({ ...settingsOf(this.#root), plugins })
      return appOf(this.#root, await this.#context.rebuild())
    } catch (error) {
      throw new BundleError(error)
    }
  }

  /** Ends the process, where no other needs it. */
  async close(): Promise<void> {
    await this.#context?.dispose()
    this.#context = null
    if (this.#isLast) await stop()
  }
}

const appOf = (root: string, { outputFiles, metafile }: BuildResult<Settings>): App => ({
  files: outputFiles.map(({ path, contents }) => ({ path, bytes: contents })),
  inputs: Object.keys(metafile.inputs)
    .filter((path) => path !== entry && !modulePaths.includes(path))
    .map((path) => resolve(root, path)),
})

const entry = 'acmcp-entry.js'

const entryText = [
  `export { codecs } from './.acmcp/codecs.mjs'\n`,
  `export { catalogue, mcpDigest, version } from './.acmcp/catalogue.mjs'\n`,
  `export { routes } from './generated/routes.ts'\n`,
  `export { config } from './app/config.ts'\n`,
].join('')

const settingsOf = (root: string): Settings => ({
  metafile: true,
  absWorkingDir: root,
  stdin: { contents: entryText, resolveDir: root, sourcefile: entry, loader: 'js' },
  outfile: `${root}/.acmcp/app.mjs`,
  write: false,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  external: ['codecs', 'catalogue'].map((name) => `${root}/.acmcp/${name}.mjs`),
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  keepNames: true,
  logLevel: 'silent',
})

/** The generated modules as they will be, not as they lie on disk; `generated/` may not exist yet. */
function unwritten(root: string, textOf: (path: string) => string | undefined): Plugin {
  const table = `${root}/generated/routes.ts`
  const inRoot = (path: string): string => path.slice(root.length + 1)
  return {
    name: 'acmcp-unwritten',
    setup({ onResolve, onLoad }) {
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
  readonly text: string
  readonly location: { readonly file: string; readonly line: number; readonly column: number } | null
}

function diagnosticsOf(error: unknown): readonly Diagnostic[] {
  const isFailure = error instanceof Error && 'errors' in error && Array.isArray(error.errors)
  const messages: readonly EsbuildMessage[] = isFailure ? (error.errors as readonly EsbuildMessage[]) : [] // its BuildFailure
  const nowhere = { file: 'app', line: 1, column: 1 }
  if (messages.length === 0) return [notBundled(nowhere, String(error))]
  return messages.map(({ text, location }) => {
    const { file, line, column } = location ?? { ...nowhere, column: 0 }
    return notBundled({ file, line, column: column + 1 }, text)
  })
}
