/** Makes `.acmcp/`: `app.mjs`, the application and its route table bundled, and beside it two modules that need no
 *  bundling, for they are large and as they should be: the decoders and the catalogue. */
import { createHash } from 'node:crypto'
import type { Compilation, OutputFile } from '../compiler/compile.ts'
import { AppBundler, type Modules, modulePaths } from './bundled-app.ts'

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

/** Bundles the application at `root`, for one build after the other. */
export class Bundler {
  readonly #root: string
  readonly #apps: AppBundler

  /** `isLast`: nothing else of this process needs esbuild. */
  constructor(root: string, isLast: boolean) {
    this.#root = root
    this.#apps = new AppBundler(root, isLast)
  }

  /** The files of the bundle, unwritten. Throws `BundleError` with esbuild's messages. */
  async bundle(compilation: Compilation): Promise<Bundle> {
    const { inputs, files } = await this.#apps.bundle(modulesIn(compilation.files))
    return { inputs, files: [...plainFiles(this.#root, compilation), ...files] }
  }

  /** Ends what runs beside this process. */
  close(): Promise<void> {
    return this.#apps.close()
  }
}

const modulesIn = (files: readonly OutputFile[]): Modules =>
  new Map(files.filter(({ path }) => modulePaths.includes(path)).map(({ path, text }) => [path, text]))

/** What needs no bundling. The digest of what was reviewed and the application's version stand here: the bundle stays as it
 *  is when only texts change. */
function plainFiles(root: string, { files, codecs, catalogue, model }: Compilation): readonly BundleFile[] {
  const mcpYml = files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''
  const digest = createHash('sha256').update(mcpYml).digest('hex')
  return [
    { path: `${root}/.acmcp/codecs.mjs`, bytes: Buffer.from(codecs) },
    {
      path: `${root}/.acmcp/catalogue.mjs`,
      bytes: Buffer.from(
        `${catalogue}export const mcpDigest = '${digest}'\nexport const version = ${JSON.stringify(model.info.version)}\n`,
      ),
    },
  ]
}
