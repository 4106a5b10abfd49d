/** `tsc --noEmit` in this process: TypeScript is loaded once a test file, and what it parsed for the same settings is kept. */
import ts from 'typescript'

interface Parsed {
  readonly text: string
  readonly file: ts.SourceFile
}

/** By the settings, then by path. */
const kept = new Map<string, Map<string, Parsed>>()

/** What TypeScript says about the project at `config`, a tsconfig.json, one line a mistake; empty = nothing. */
export function typeErrorsOf(config: string): string {
  const read = ts.getParsedCommandLineOfConfigFile(
    config,
    { noEmit: true },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
  )
  if (read === undefined) return `${config} cannot be read`
  const { options, fileNames, errors } = read
  const host = ts.createCompilerHost(options)
  const { configFilePath: _unused, ...settings } = options
  const parsed = kept.get(JSON.stringify(settings)) ?? new Map<string, Parsed>()
  kept.set(JSON.stringify(settings), parsed)
  host.getSourceFile = (path, how) => {
    const text = host.readFile(path)
    if (text === undefined) return undefined
    const known = parsed.get(path)
    if (known?.text === text) return known.file
    const file = ts.createSourceFile(path, text, how)
    parsed.set(path, { text, file })
    return file
  }
  const program = ts.createProgram({ rootNames: fileNames, options, host })
  return shown([...errors, ...ts.getPreEmitDiagnostics(program)])
}

/** The same for a project with references (`tsc -b`), which are built where they lie. */
export function buildErrorsOf(config: string): string {
  const found: ts.Diagnostic[] = []
  const host = ts.createSolutionBuilderHost(ts.sys, undefined, (one) => void found.push(one), ignore)
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
