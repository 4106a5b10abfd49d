/** `acmcp build`: compiles the application, and writes what it came to, or compares it (`--check`). */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { type Compilation, compile, type OutputFile } from '../compiler/compile.ts'
import { BundleError, type BundleFile, bundle } from './bundle.ts'
import { diskHost } from './disk.ts'
import { handEdits } from './hand-edit.ts'
import { lineDiff } from './line-diff.ts'
import { type ReportFormat, report } from './report.ts'

export interface BuildOptions {
  readonly cwd: string
  /** Compare only; nothing is written. */
  readonly check: boolean
  /** Discard edits made by hand in generated/mcp.yml. */
  readonly overwrite: boolean
  /** How diagnostics are shown: text on `warn`, JSON and annotations on `print`. */
  readonly format: ReportFormat
  /** The dialect of generated/openapi.yml. */
  readonly openapi: '3.1' | '3.0'
  /** Warnings are errors. */
  readonly strict: boolean
  readonly colour: boolean
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
}

/** Builds the application in `cwd` and resolves to the exit code: 0, or 1 when nothing was written. */
export async function build(options: BuildOptions): Promise<0 | 1> {
  const { openapi, strict } = options
  const compilation = compile(diskHost(options.cwd), { openapi, strict, lint: true })
  show(options, compilation)
  if (compilation.files.length === 0) return 1
  const edits = options.overwrite ? [] : editsIn(options.cwd, compilation)
  if (edits.length > 0) return refuseEdits(options, edits)
  return options.check ? checkFiles(options, compilation) : writeAll(options, compilation)
}

function show({ cwd, format, colour, print, warn }: BuildOptions, { diagnostics }: Compilation): void {
  const readFile = (file: string): string | null => readOrNull(`${cwd}/${file}`)
  for (const line of report(diagnostics, { format, colour, readFile }))
    (format === 'text' ? warn : print)(line)
}

function editsIn(cwd: string, compilation: Compilation): readonly string[] {
  const existing = readOrNull(`${cwd}/generated/mcp.yml`)
  return existing === null ? [] : handEdits(existing, compilation)
}

function refuseEdits({ warn }: BuildOptions, edits: readonly string[]): 1 {
  for (const edit of edits) warn(`acmcp: ${edit}`)
  warn('acmcp: nothing was written; `acmcp build --overwrite` discards the edit')
  return 1
}

function checkFiles({ cwd, print, warn }: BuildOptions, { files }: Compilation): 0 | 1 {
  const diffs = files.flatMap(({ path, text }) => {
    const diff = lineDiff(path, readOrNull(`${cwd}/${path}`) ?? '', text)
    return diff === '' ? [] : [diff]
  })
  if (diffs.length === 0) return 0
  for (const diff of diffs) print(diff)
  warn('acmcp: generated files are stale: run `acmcp build` and commit them')
  return 1
}

async function writeAll(options: BuildOptions, compilation: Compilation): Promise<0 | 1> {
  const { cwd, print, warn } = options
  try {
    const bundled = await bundle(diskHost(cwd).root, compilation)
    const files = [...compilation.files.map((file) => toBytes(cwd, file)), ...bundled]
    for (const file of files.filter(isChanged)) {
      mkdirSync(dirname(file.path), { recursive: true })
      writeFileSync(file.path, file.bytes)
      if (options.format !== 'json') print(`wrote ${relative(cwd, file.path)}`)
    }
    return 0
  } catch (error) {
    if (!(error instanceof BundleError)) throw error
    warn(error.message)
    return 1
  }
}

const toBytes = (cwd: string, { path, text }: OutputFile): BundleFile => ({
  path: `${cwd}/${path}`,
  bytes: Buffer.from(text),
})

/** Files that are the same keep their time stamps. */
function isChanged({ path, bytes }: BundleFile): boolean {
  return readOrNull(path) !== Buffer.from(bytes).toString('utf8')
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
