/** Makes `.acmcp/`: `app.mjs`, the application and its route table bundled, and beside it two modules that need no
 *  bundling, for they are large and as they should be: the decoders and the catalogue. */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import type { Compilation } from '../compiler/compile.ts'
import type { Diagnostic } from '../compiler/diagnostics.ts'
import { notBundled } from './build-diagnostics.ts'

export interface BundleFile {
  /** Absolute. */
  readonly path: string
  readonly bytes: Uint8Array
}

export interface Bundle {
  readonly files: readonly BundleFile[]
  /** The application's files that went into it, absolute. */
  readonly inputs: readonly string[]
}

/** The files of the bundle, unwritten. Throws `BundleError` with esbuild's messages. */
export async function bundle(root: string, compilation: Compilation): Promise<Bundle> {
  const { codecs, catalogue } = compilation
  const plain = [
    { path: `${root}/.acmcp/codecs.mjs`, bytes: Buffer.from(codecs) },
    { path: `${root}/.acmcp/catalogue.mjs`, bytes: Buffer.from(catalogue) },
  ]
  const app = await bundleApp(root, compilation)
  return { ...app, files: [...plain, ...app.files] }
}

async function bundleApp(root: string, compilation: Compilation): Promise<Bundle> {
  try {
    const { outputFiles, metafile } = await build({
      metafile: true,
      absWorkingDir: root,
      stdin: { contents: entryOf(compilation), resolveDir: root, sourcefile: entry, loader: 'js' },
      outfile: `${root}/.acmcp/app.mjs`,
      write: false,
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      target: 'node20',
      sourcemap: true,
      sourcesContent: false,
      keepNames: true,
      logLevel: 'silent',
      plugins: [unwritten(root, compilation)],
    })
    const made = new Set([entry, ...compilation.files.map(({ path }) => path)])
    return {
      files: outputFiles.map(({ path, contents }) => ({ path, bytes: contents })),
      inputs: Object.keys(metafile.inputs)
        .filter((path) => !made.has(path))
        .map((path) => resolve(root, path)),
    }
  } catch (error) {
    throw new BundleError(error)
  }
}

const entry = 'acmcp-entry.js'

/** The application cannot be bundled. */
export class BundleError extends Error {
  readonly diagnostics: readonly Diagnostic[]
  constructor(cause: unknown) {
    super('the application cannot be bundled', { cause })
    this.diagnostics = diagnosticsOf(cause)
  }
}

function entryOf({ files }: Compilation): string {
  const mcpYml = files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''
  const digest = createHash('sha256').update(mcpYml).digest('hex')
  return [
    `export { codecs } from './codecs.mjs'\n`,
    `export { catalogue } from './catalogue.mjs'\n`,
    `export { routes } from './generated/routes.ts'\n`,
    `export { config } from './app/config.ts'\n`,
    `export const mcpDigest = '${digest}'\n`,
  ].join('')
}

/** The generated modules as they will be, not as they lie on disk; `generated/` may not exist yet. */
function unwritten(root: string, { files }: Compilation): Plugin {
  const texts = new Map(files.map(({ path, text }) => [`${root}/${path}`, text]))
  const table = `${root}/generated/routes.ts`
  return {
    name: 'acmcp-unwritten',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\/generated\/routes\.ts$/ }, () => ({ path: table }))
      onResolve({ filter: /^\.\/(codecs|catalogue)\.mjs$/ }, ({ importer, path }) =>
        importer.endsWith(entry) ? { path, external: true } : undefined,
      )
      onResolve({ filter: /\/generated\/paths\.[jt]s$/ }, ({ resolveDir, path }) => {
        const target = resolve(resolveDir, path.replace(/js$/, 'ts'))
        return texts.has(target) ? { path: target } : undefined
      })
      onLoad({ filter: /[/\\]generated[/\\](routes|paths)\.ts$/ }, ({ path }) => {
        const text = texts.get(path)
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
