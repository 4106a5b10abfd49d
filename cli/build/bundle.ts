/** Makes `.acmcp/`: `app.mjs`, the application and its route table bundled, and beside it two modules that need no
 *  bundling, for they are large and as they should be: the decoders and the catalogue. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Compilation, OutputFile } from '../compiler/compile.ts'
import { type App, AppBundler, type Modules, modulePaths, type Service } from './bundled-app.ts'

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
  #ahead: { readonly since: number; readonly app: Promise<App | null> } | null = null

  constructor(root: string, service: Service) {
    this.#root = root
    this.#apps = new AppBundler(root, service)
  }

  /** Begins before the compiler does, in a process beside it, with the route table that lies on disk: nearly every edit
   *  leaves that as it is. */
  async begin(): Promise<void> {
    if (modulesOnDisk(this.#root) === null) return
    await this.#apps.open()
    const since = now()
    const app = this.#apps.start().catch(() => null) // what is wrong is told when it is bundled again
    this.#ahead = { since, app }
  }

  /** The files of the bundle, unwritten. Throws `BundleError` with esbuild's messages. */
  async bundle(compilation: Compilation): Promise<Bundle> {
    const modules = modulesIn(compilation.files)
    const { inputs, files } = (await this.#finished(modules)) ?? (await this.#apps.bundle(modules))
    return { inputs, files: [...plainFiles(this.#root, compilation), ...files] }
  }

  /** Gives up what was begun. */
  async cancel(): Promise<void> {
    this.#ahead = null
    await this.#apps.cancel()
  }

  /** Ends the process beside this one. */
  async close(): Promise<void> {
    this.#ahead = null
    await this.#apps.close()
  }

  /** What was begun, when it is what would be bundled now; else null. */
  async #finished(modules: Modules): Promise<App | null> {
    const ahead = this.#ahead
    if (ahead === null) return null
    this.#ahead = null
    if (!isSame(modules, modulesOnDisk(this.#root))) {
      await this.#apps.cancel()
      return null
    }
    const app = await ahead.app
    return app !== null && isUntouched(this.#root, app.inputs, ahead.since) ? app : null
  }
}

/** The clock by which files are stamped runs behind, by up to a tick of the system's (10 ms). */
const tickMs = 10

/** A time (ms) that is before every later change of a file. */
const now = (): number => Date.now() - tickMs

const modulesIn = (files: readonly OutputFile[]): Modules =>
  new Map(files.filter(({ path }) => modulePaths.includes(path)).map(({ path, text }) => [path, text]))

/** Null when one is missing. */
function modulesOnDisk(root: string): Modules | null {
  try {
    return new Map(modulePaths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
  } catch {
    return null
  }
}

const isSame = (modules: Modules, others: Modules | null): boolean =>
  others !== null && [...modules].every(([path, text]) => text === others.get(path))

/** Whether all that esbuild went by is as it was at `since`: its inputs, their folders, and the settings in these. */
function isUntouched(root: string, inputs: readonly string[], since: number): boolean {
  const modules = modulePaths.map((path) => join(root, path))
  const folders = [...new Set([root, ...[...inputs, ...modules].map(dirname)])]
  const settings = folders.flatMap((folder) =>
    ['package.json', 'tsconfig.json', 'jsconfig.json'].map((name) => join(folder, name)),
  )
  return [...inputs, ...modules, ...folders, ...settings].every(
    (path) => (statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) < since,
  )
}

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
