/** Small applications, each run twice: as `tsc` and Node.js have it, and from its bundle. */
import { cpSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { BundleError, Bundler } from '../../../../cli/build/bundle.ts'
import { diskHost } from '../../../../cli/build/disk.ts'
import { type Compilation, compile } from '../../../../cli/compiler/compile.ts'
import { emptyFolder, write } from '../../support/built-app.ts'
import { notesWith } from '../../support/memory-host.ts'

export interface SmallApplication {
  readonly title: string
  /** By path; `app/config.ts` exports `config`, a function whose result is compared. */
  readonly files: Readonly<Record<string, string>>
  /** What is to be compared with in place of what Node.js does. */
  readonly expected?: unknown
}

interface Teardown {
  teardown(clean: () => void): void
}

const tsconfig = JSON.stringify({ compilerOptions: { module: 'nodenext', target: 'es2023' } })
const manifest = '{"name":"shop","version":"1.0.0","type":"module"}'

/** A folder in which each application has a folder, named by its index. */
export function foldersOf(t: Teardown, applications: readonly SmallApplication[]): readonly string[] {
  const root = realpathSync(emptyFolder(t))
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(process.cwd(), join(root, 'node_modules/acmcp'))
  return applications.map(({ files }, index) => {
    const folder = join(root, `application-${index}`)
    const all = { 'package.json': manifest, 'tsconfig.json': tsconfig, ...notesWith(route), ...files }
    for (const [path, text] of Object.entries(all)) write(folder, path, text)
    return folder
  })
}

const route = `
  /**
   * Reads a note.
   *
   * @get /
   */
  read(): string {
    return ''
  }
`

let shared: Compilation | null = null

/** Builds the bundle of the application in `folder`. The lines of what is told where it does not succeed. */
export async function bundled(folder: string): Promise<readonly string[]> {
  shared ??= compile(diskHost(folder)) // all have the same controllers
  const bundler = new Bundler(folder, false)
  try {
    const { files, diagnostics } = await bundler.bundle(shared, diskHost(folder))
    for (const { path, content } of files)
      write(dirname(path), path.slice(dirname(path).length), Buffer.from(content).toString())
    return diagnostics.map(lineOf)
  } catch (error) {
    if (!(error instanceof BundleError)) throw error
    return error.diagnostics.map(lineOf)
  } finally {
    await bundler.close()
  }
}

const lineOf = ({ at, code, severity, message, hint }: BundleError['diagnostics'][number]): string =>
  `${at.file}:${at.line}:${at.column} ${severity} ${code} ${message} | ${hint}`

/** Compiles all applications with `tsc`, into folders of their own beside them. Resolves to these. */
export function compiled(t: Teardown, folders: readonly string[]): readonly string[] {
  const out = realpathSync(emptyFolder(t))
  const root = dirname(folders[0] ?? '')
  cpSync(root, out, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.includes('.acmcp') })
  const places = folders.map((folder) => out + folder.slice(root.length))
  const sources = folders.flatMap((folder) => [
    ...ts.sys.readDirectory(folder, ['.ts', '.mts', '.cts'], undefined, ['app/**/*']),
  ])
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    rewriteRelativeImportExtensions: true,
    esModuleInterop: true,
    noLib: true,
    noCheck: true,
    types: [],
    rootDir: root,
    outDir: out,
  }
  ts.createProgram(sources, options).emit()
  return places
}

/** What `config` of the module at `path` in `folder` resolves to, as JSON, with places that do not tell where it lies. */
export async function answerOf(folder: string, path: string): Promise<unknown> {
  const { config } = await import(pathToFileURL(join(folder, path)).href)
  const text = JSON.stringify(await config(), (_key, value) =>
    typeof value === 'function' ? String(value) : value,
  )
  return JSON.parse(text.replaceAll(folder, '<folder>').replace(/\.ts(?=["?/])/g, '.js'))
}
