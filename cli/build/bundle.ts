/** Makes `.acmcp/`: `app.mjs`, the application and its route table bundled by esbuild, and beside it two modules that need no
 *  bundling, for they are large and as they should be: the decoders and the catalogue. What Node.js has to load beside it is
 *  looked for now (imports/). */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import type { BuildContext, BuildOptions, BuildResult, Metafile, Plugin, PluginBuild } from 'esbuild'
import type { Compilation } from '../compiler/compile.ts'
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import type { At } from '../compiler/ir/schema.ts'
import { byText, type Host } from '../compiler/read/program/host.ts'
import { noRequire, notBundled } from './build-diagnostics.ts'
import {
  type LeftImport,
  leftImports,
  type Packages,
  packagesOf,
  type Redirect,
  redirectOf,
  unresolved,
} from './imports/left-imports.ts'
import type { BuiltFile } from './output-files.ts'

/** By `require`: an `import` would first search it for the names of exports, which takes four times as long as to load it. */
const { context, stop }: typeof import('esbuild') = createRequire(import.meta.url)('esbuild')

export interface Bundle {
  readonly files: readonly BuiltFile[]
  /** The files that went into it, absolute. */
  readonly inputs: readonly string[]
  /** Warnings. */
  readonly diagnostics: readonly Diagnostic[]
}

/** The application cannot be bundled. */
export class BundleError extends Error {
  readonly diagnostics: readonly Diagnostic[]
  constructor(diagnostics: readonly Diagnostic[], cause?: unknown) {
    super('the application cannot be bundled', { cause })
    this.diagnostics = diagnostics
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
  #packages: Packages | null = null
  /** Specifiers of packages that esbuild asks for. */
  readonly #requested = new Set<string>()

  /** `isLast`: nothing else of this process needs esbuild. */
  constructor(root: string, isLast: boolean) {
    this.#root = root
    this.#isLast = isLast
  }

  /** The files of the bundle, unwritten. Throws `BundleError` with esbuild's messages, or with imports that lead nowhere;
   *  `isStrict`: with warnings too. */
  async bundle(compilation: Compilation, host: Host, isStrict = false): Promise<Bundle> {
    this.#modules = new Map(compilation.files.map(({ path, text }) => [path, text]))
    this.#packages = packagesOf(host, compilation.reading.outside.conditions)
    const { outputFiles, metafile, warnings } = await this.#bundleApp()
    const left = leftImports(metafile, this.#root, entry)
    const requires = warnings.filter(({ id }) => id === 'unsupported-require-call').map(unsupported)
    const all = [...requires, ...unresolved(this.#packages, left)].sort(byPlace)
    const found = isStrict ? all.map((diagnostic) => ({ ...diagnostic, severity: 'error' as const })) : all
    if (found.some(({ severity }) => severity === 'error')) throw new BundleError(found)
    return {
      files: [
        { path: `${this.#root}/.acmcp/codecs.mjs`, content: compilation.codecs },
        { path: `${this.#root}/.acmcp/catalogue.mjs`, content: catalogueText(compilation) },
        { path: `${this.#root}/.acmcp/answers.json`, content: compilation.answers },
        ...outputFiles.map(({ path, contents }) => ({ path, content: contents })),
      ],
      inputs: inputsOf(this.#root, metafile),
      diagnostics: found,
    }
  }

  /** Bundles until no import is left that comes in, or has another path: esbuild asks for the `#asked` alone. A question for every
   *  import would go hundreds of times through a pipe. */
  async #bundleApp(): Promise<BuildResult<Settings>> {
    const result = await this.#rebuild()
    const left = leftImports(result.metafile, this.#root, entry)
    const more = left
      .filter(({ specifier }) => !this.#requested.has(specifier))
      .filter((leftImport) => this.#redirect(leftImport) !== null)
    if (more.length === 0) return result
    for (const { specifier } of more) this.#requested.add(specifier)
    await this.#context?.dispose()
    this.#context = null
    return this.#bundleApp()
  }

  #redirect({ specifier, file }: LeftImport): Redirect | null {
    const packages = /^[./]/.test(specifier) ? null : this.#packages
    return packages === null ? null : redirectOf(packages, specifier, dirname(file))
  }

  async #rebuild(): Promise<BuildResult<Settings>> {
    try {
      const plugins = [unwritten(this.#root, (path) => this.#modules.get(path)), ...this.#redirecting()]
      this.#context ??= await context({ ...settingsOf(this.#root), plugins })
      return await this.#context.rebuild()
    } catch (error) {
      throw new BundleError(diagnosticsOf(error), error)
    }
  }

  /** The answers about the imports that are asked for. */
  #redirecting(): readonly Plugin[] {
    if (this.#requested.size === 0) return []
    const filter = new RegExp(`^(?:${[...this.#requested].map(escaped).join('|')})$`)
    const setup = ({ onResolve }: PluginBuild): void =>
      onResolve({ filter }, ({ path, resolveDir, kind }) =>
        kind.startsWith('require')
          ? undefined
          : this.#redirect({ specifier: path, file: `${resolveDir}/.`, kind }),
      )
    return [{ name: 'acmcp-packages', setup }]
  }

  /** Ends the process beside this one, where no other needs it. */
  async close(): Promise<void> {
    await this.#context?.dispose()
    this.#context = null
    if (this.#isLast) await stop()
  }
}

const inputsOf = (root: string, { inputs }: Metafile): readonly string[] =>
  Object.keys(inputs)
    .filter((path) => path !== entry && !/^generated\/(routes|paths)\.ts$/.test(path))
    .map((path) => resolve(root, path))

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

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
  logOverride: { 'unsupported-require-call': 'warning' },
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

const byPlace = ({ at: a }: Diagnostic, { at: b }: Diagnostic): number =>
  byText(a.file, b.file) || a.line - b.line || a.column - b.column

/** A `require()` of what is known at run time only. */
const unsupported = ({ location }: EsbuildMessage): Diagnostic => noRequire(placeIn(location), '…')

const placeIn = (location: EsbuildMessage['location']): At => {
  const { file, line, column } = location ?? { file: 'app', line: 1, column: 0 }
  return { file, line, column: column + 1 }
}

function diagnosticsOf(error: unknown): readonly Diagnostic[] {
  const isFailure = error instanceof Error && 'errors' in error && Array.isArray(error.errors)
  const messages: readonly EsbuildMessage[] = isFailure ? (error.errors as readonly EsbuildMessage[]) : [] // its BuildFailure
  if (messages.length === 0) return [notBundled(placeIn(null), String(error))]
  return messages.map(({ text, location }) => notBundled(placeIn(location), text))
}
