/** `tsc --noEmit` in this process: TypeScript is loaded once a process, and what it parsed is kept. */
import ts from 'typescript'

interface Parsed {
  readonly text: string
  readonly file: ts.SourceFile
}

/** By the settings that decide how a file is parsed, then by path. */
const kept = new Map<string, Map<string, Parsed>>()

/** Source files by path, of which none is parsed and bound twice. */
export function sourceFilesBy(
  { target, module, moduleResolution, moduleDetection, jsx, allowJs }: ts.CompilerOptions,
  readFile: (path: string) => string | undefined,
): ts.CompilerHost['getSourceFile'] {
  const key = JSON.stringify([target, module, moduleResolution, moduleDetection, jsx, allowJs])
  const parsed = kept.get(key) ?? new Map<string, Parsed>()
  kept.set(key, parsed)
  return (path, how) => {
    const text = readFile(path)
    if (text === undefined) return undefined
    const known = parsed.get(path)
    if (known?.text === text) return known.file
    const file = ts.createSourceFile(path, text, how)
    parsed.set(path, { text, file })
    return file
  }
}

/** The project at `config`, a tsconfig.json, as `tsc` reads it, and what is wrong with its settings. */
export function projectAt(config: string): {
  readonly program: ts.Program
  readonly errors: readonly ts.Diagnostic[]
} {
  const read = ts.getParsedCommandLineOfConfigFile(
    config,
    { noEmit: true },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
  )
  if (read === undefined) throw new Error(`${config} cannot be read`)
  const { options, fileNames, errors } = read
  const host = ts.createCompilerHost(options)
  host.getSourceFile = sourceFilesBy(options, host.readFile)
  return { program: ts.createProgram({ rootNames: fileNames, options, host }), errors }
}

/** What TypeScript says about the project at `config`, a tsconfig.json, one line a mistake; empty = nothing. */
export function typeErrorsOf(config: string): string {
  const { program, errors } = projectAt(config)
  return shown([...errors, ...ts.getPreEmitDiagnostics(program)])
}

/** The same for a project with references (`tsc -b`), which are built where they lie. */
export function buildErrorsOf(config: string): string {
  const found: ts.Diagnostic[] = []
  const host = ts.createSolutionBuilderHost(
    ts.sys,
    undefined,
    (diagnostic) => void found.push(diagnostic),
    ignore,
  )
  ts.createSolutionBuilder(host, [config], {}).build()
  return shown(found)
}

const ignore = (): void => {}

function fail(diagnostic: ts.Diagnostic): never {
  throw new Error(shown([diagnostic]))
}

function shown(diagnostics: readonly ts.Diagnostic[]): string {
  return ts.formatDiagnostics(diagnostics, {
    getCurrentDirectory: ts.sys.getCurrentDirectory,
    getCanonicalFileName: (path) => path,
    getNewLine: () => '\n',
  })
}
