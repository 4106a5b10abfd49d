/** Makes `.acmcp/`: `app.mjs`, the application and its route table bundled by esbuild, and beside it two modules that need no
 *  bundling, for they are large and as they should be: the decoders and the catalogue. */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { BuildContext, BuildOptions, BuildResult, Plugin } from 'esbuild'
import type { Compilation } from '../compiler/compile.ts'
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import { notBundled } from './build-diagnostics.ts'
import type { BuiltFile } from './output-files.ts'

/** By `require`: an `import` would first search it for the names of exports, which takes four times as long as to load it. */
const { context, stop }: typeof import('esbuild') = createRequire(import.meta.url)('esbuild')

export interface Bundle {
  readonly files: readonly BuiltFile[]
  /** The application's files that went into it, absolute. */
  readonly inputs: readonly string[]
}

/** The application cannot be bundled. */
export class BundleError extends Error {
  readonly diagnostics: readonly Diagnostic[]
  constructor(cause: unknown) {
    super('the application cannot be bundled', { cause })
    this.diagnostics = diagnosticsOf(cause)
  }
}

type Settings = BuildOptions & { readonly metafile: true; readonly write: false }

/** Bundles the application at `root`, for one build after the other: each takes over what it can from the one before. esbuild
 *  is a process of its own. */
export class Bundler {
  readonly #root: string
  readonly #isLast: boolean
  #context: BuildContext<Settings> | null = null
  /** The generated modules by path, as they will be. */
  #modules: ReadonlyMap<string, string> = new Map()

  /** `isLast`: nothing else of this process needs esbuild. */
  constructor(root: string, isLast: boolean) {
    this.#root = root
    this.#isLast = isLast
  }

  /** The files of the bundle, unwritten. Throws `BundleError` with esbuild's messages. */
  async bundle(compilation: Compilation): Promise<Bundle> {
    this.#modules = new Map(compilation.files.map(({ path, text }) => [path, text]))
    const { inputs, files } = await this.#bundleApp()
    const plain = [
      { path: `${this.#root}/.acmcp/codecs.mjs`, content: compilation.codecs },
      { path: `${this.#root}/.acmcp/catalogue.mjs`, content: catalogueText(compilation) },
    ]
    return { inputs, files: [...plain, ...files] }
  }

  async #bundleApp(): Promise<Bundle> {
    try {
      const plugins = [unwritten(this.#root, (path) => this.#modules.get(path))]
      this.#context ??= await context({ ...settingsOf(this.#root), plugins })
      return bundleOf(this.#root, await this.#context.rebuild())
    } catch (error) {
      throw new BundleError(error)
    }
  }

  /** Ends the process beside this one, where no other needs it. */
  async close(): Promise<void> {
    await this.#context?.dispose()
    this.#context = null
    if (this.#isLast) await stop()
  }
}

const bundleOf = (root: string, { outputFiles, metafile }: BuildResult<Settings>): Bundle => ({
  files: outputFiles.map(({ path, contents }) => ({ path, content: contents })),
  inputs: Object.keys(metafile.inputs)
    .filter((path) => path !== entry && !/^generated\/(routes|paths)\.ts$/.test(path))
    .map((path) => resolve(root, path)),
})

/** The module of the catalogue. The digest of what was reviewed and the application's version stand in it: `app.mjs` stays as
 *  it is when only texts change. */
function catalogueText({ files, catalogue, model }: Compilation): string {
  const mcpYml = files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''
  const digest = createHash('sha256').update(mcpYml).digest('hex')
  return `${catalogue}export const mcpDigest = '${digest}'\nexport const version = ${JSON.stringify(model.info.version)}\n`
}

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
