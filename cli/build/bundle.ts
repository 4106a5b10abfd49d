/** Makes `.acmcp/`: `app.mjs`, the application and its route table bundled by esbuild, and beside it two modules that need no
 *  bundling, for they are large and as they should be: the decoders and the catalogue. What Node.js has to load beside it is
 *  looked for now (imports/). */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import type { BuildContext, BuildResult, Metafile, Plugin, PluginBuild } from 'esbuild'
import type { Compilation } from '../compiler/compile.ts'
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import { programName } from '../compiler/read/modules/bundled-source.ts'
import { type PlainBundle, withoutNameHelper } from '../compiler/read/modules/function-text.ts'
import { byText, type Host } from '../compiler/read/program/host.ts'
import { type EsbuildSettings, entry, esbuildSettings, failed, unwritten, warned } from './esbuild.ts'
import { commonJsImports, importKey, leftBeside } from './imports/common-js.ts'
import {
  type LeftImport,
  leftImports,
  type Packages,
  packagesOf,
  type Redirect,
  redirectOf,
  unresolved,
} from './imports/left-imports.ts'
import { EditedSources, editing, literalPattern } from './modules/edited-sources.ts'
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

/** Bundles the application at `root`, for one build after the other: each takes over what it can from the one before. esbuild
 *  is a process of its own. */
export class Bundler {
  readonly #root: string
  readonly #isLast: boolean
  #context: BuildContext<EsbuildSettings> | null = null
  /** The generated modules by path, as they will be. */
  #modules: ReadonlyMap<string, string> = new Map()
  #packages: Packages | null = null
  /** Of this build. */
  #sources: EditedSources | null = null
  /** Specifiers that esbuild asks for. */
  readonly #requested = new Set<string>()
  /** Files of CommonJS, which Node.js loads by itself: by the folder and the specifier that lead to them. */
  readonly #commonJs = new Map<string, string>()
  /** What esbuild was told: sources that it takes edited, and those that are programs of their own. */
  #edited: readonly string[] = []
  #programs: readonly string[] = []
  /** The modules of the last build by path. */
  readonly #plainBundles = new Map<string, PlainBundle>()

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
    const sources = new EditedSources(host)
    this.#sources = sources
    sources.look(sourcesOf(this.#root, compilation))
    await this.#tellSources(sources)
    const { outputFiles, metafile, warnings } = await this.#bundleApp(host, sources)
    const left = leftImports(metafile, this.#root, entry)
    const all = [...warned(warnings), ...sources.diagnostics, ...unresolved(this.#packages, left)].sort(
      byPlace,
    )
    const found = isStrict ? all.map((diagnostic) => ({ ...diagnostic, severity: 'error' as const })) : all
    if (found.some(({ severity }) => severity === 'error')) throw new BundleError(found)
    return {
      files: [
        { path: `${this.#root}/.acmcp/codecs.mjs`, content: compilation.codecs },
        { path: `${this.#root}/.acmcp/catalogue.mjs`, content: catalogueText(compilation) },
        ...outputFiles.map(({ path, text, contents }) =>
          path.endsWith('.mjs') ? { path, content: this.#plain(path, text) } : { path, content: contents },
        ),
      ],
      inputs: inputsOf(this.#root, metafile),
      diagnostics: found,
    }
  }

  #plain(path: string, text: string): string {
    const bundle = withoutNameHelper(text, this.#plainBundles.get(path))
    this.#plainBundles.set(path, bundle)
    return bundle.content
  }

  /** Bundles until no import is left that comes in, or has another path, and every source was looked at: esbuild asks for what it
   *  was told alone. A question for every import would go hundreds of times through a pipe. */
  async #bundleApp(host: Host, sources: EditedSources): Promise<BuildResult<EsbuildSettings>> {
    const result = await this.#rebuild(host)
    const isNew = (specifier: string): boolean => !this.#requested.has(specifier)
    const left = leftImports(result.metafile, this.#root, entry)
    const more = left.filter(
      (leftImport) => isNew(leftImport.specifier) && this.#redirect(leftImport) !== null,
    )
    const commonJs = commonJsImports(this.#root, result.metafile)
    for (const { key, path } of commonJs) this.#commonJs.set(key, path)
    sources.look(modulesOf(this.#root, result.metafile))
    const isTold = !(await this.#tellSources(sources))
    if (more.length === 0 && commonJs.length === 0 && isTold) return result
    for (const { specifier } of [...more, ...commonJs]) this.#requested.add(specifier)
    await this.#restart()
    return this.#bundleApp(host, sources)
  }

  /** Lets esbuild begin anew where it does not know yet of all edits and programs. Resolves to whether it has to. */
  async #tellSources({ edited, programs }: EditedSources): Promise<boolean> {
    const isKnown = edited.every((path) => this.#edited.includes(path))
    const isSame = isKnown && this.#programs.join() === programs.join()
    if (isSame) return false
    this.#edited = edited
    this.#programs = programs
    await this.#restart()
    return true
  }

  async #restart(): Promise<void> {
    await this.#context?.dispose()
    this.#context = null
  }

  #redirect({ specifier, file }: LeftImport): Redirect | null {
    const commonJs = this.#commonJs.get(importKey(dirname(file), specifier))
    if (commonJs !== undefined) return leftBeside(this.#root, commonJs)
    const packages = /^[./]/.test(specifier) ? null : this.#packages
    return packages === null ? null : redirectOf(packages, specifier, dirname(file))
  }

  async #rebuild(host: Host): Promise<BuildResult<EsbuildSettings>> {
    try {
      const programs = this.#programs.map((source) => ({ source, name: programName(host, source) }))
      const plugins = [
        unwritten(this.#root, (path) => this.#modules.get(path)),
        ...this.#redirecting(),
        ...editing(this.#edited, (path) => this.#sources?.textOf(path)),
      ]
      this.#context ??= await context({ ...esbuildSettings(this.#root, programs), plugins })
      return await this.#context.rebuild()
    } catch (error) {
      throw new BundleError(failed(error), error)
    }
  }

  /** The answers about the imports that are asked for. */
  #redirecting(): readonly Plugin[] {
    if (this.#requested.size === 0) return []
    const filter = new RegExp(`^(?:${[...this.#requested].map(literalPattern).join('|')})$`)
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
    await this.#restart()
    if (this.#isLast) await stop()
  }
}

/** The files of the application that the compiler read. */
const sourcesOf = (root: string, { reading }: Compilation): readonly string[] => [
  ...reading.graph.imports.flatMap(([file]) => (isGenerated(file) ? [] : [resolve(root, file)])),
  ...reading.outside.files.filter((path) => !path.endsWith('.d.ts')),
]

/** On the disk these are still those of the last build. */
const isGenerated = (path: string): boolean => /^generated\/(routes|paths)\.ts$/.test(path)

const inputsOf = (root: string, { inputs }: Metafile): readonly string[] =>
  Object.keys(inputs)
    .filter((path) => !path.startsWith('acmcp:') && !isGenerated(path))
    .map((path) => resolve(root, path))

/** Those that are ES modules, or TypeScript. */
const modulesOf = (root: string, { inputs }: Metafile): readonly string[] =>
  Object.entries(inputs).flatMap(([path, { format }]) => {
    const isSource = /\.(?:[cm]?ts|tsx)$/.test(path) || (/\.m?js$/.test(path) && format !== 'cjs')
    return isSource && !path.startsWith('acmcp:') && !isGenerated(path) ? [resolve(root, path)] : []
  })

/** The module of the catalogue. The digest of what was reviewed and the application's version stand in it: `app.mjs` stays as
 *  it is when only texts change. */
function catalogueText({ files, catalogue, model }: Compilation): string {
  const mcpYml = files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''
  const digest = createHash('sha256').update(mcpYml).digest('hex')
  return `${catalogue}export const mcpDigest = '${digest}'\nexport const version = ${JSON.stringify(model.info.version)}\n`
}

const byPlace = ({ at: a }: Diagnostic, { at: b }: Diagnostic): number =>
  byText(a.file, b.file) || a.line - b.line || a.column - b.column
