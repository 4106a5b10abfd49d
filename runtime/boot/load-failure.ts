/** Why Node.js cannot load a bundle: its own reason, at the place in the sources that the map beside the bundle knows. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire, isBuiltin, SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** A place in a file; lines and columns begin with 1. */
interface FilePlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

const loadErrors: ReadonlySet<string> = new Set([
  'ERR_MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_PACKAGE_IMPORT_NOT_DEFINED',
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'ERR_UNKNOWN_BUILTIN_MODULE',
])

/** One line for an error of the `import()` of the bundle `file` of the application in `cwd`; null = it is the application's own. */
export async function loadFailure(cwd: string, file: string, error: unknown): Promise<string | null> {
  if (!(error instanceof Error) || !isOfLoading(error)) return null
  const reason = error.message.split('\n', 1).join('')
  const place = placeOf(error) ?? checkedPlace(file) ?? (await placeOfPackage(file, error))
  if (isOfBuild(place?.file, file) || /'acmcp\/codec/.test(reason))
    return `${file} does not fit what is installed: run acmcp build (${reason})`
  const shown = place === null ? file : shownPlace(cwd, sourcePlace(place))
  return `${shown}: ${reason}${/'acmcp(\/\w+)?' does not provide/.test(reason) ? ', in the version that is installed' : ''}`
}

const isOfLoading = (error: Error): boolean =>
  error instanceof SyntaxError || ('code' in error && loadErrors.has(String(error.code)))

/** What lies beside the bundle is the build's own. */
const isOfBuild = (place: string | undefined, file: string): boolean =>
  place !== undefined && dirname(place) === dirname(file) && place !== file && !existsSync(`${place}.map`)

/** Where Node.js says that it is: above the error with a mark below the place, or in the first frame of a module. */
function placeOf({ stack = '' }: Error): FilePlace | null {
  const marked = markedPlace(stack)
  if (marked !== null) return marked
  const frame = /^ {4}at (?:.*\()?(file:\/\/\S+?|\/\S+?):(\d+):(\d+)\)?$/m.exec(stack)
  return frame === null || isOurs(frame[1] ?? '') ? null : placeFrom(frame[1], frame[2], frame[3])
}

function markedPlace(text: string): FilePlace | null {
  const [, file, line, blanks = ''] = /^(file:\/\/\S+|\/\S+):(\d+)\n.*\n( *)\^/.exec(text) ?? []
  return file === undefined ? null : placeFrom(file, line, String(blanks.length + 1))
}

/** Of a bundle that does not parse Node.js tells the place to no program but to people, as where it only checks. */
function checkedPlace(file: string): FilePlace | null {
  if (process.permission?.has('child') === false) return null
  return markedPlace(spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' }).stderr)
}

/** This very file, and those that called it. */
const isOurs = (file: string): boolean => /\/runtime\/(boot|serve)\//.test(file)

function placeFrom(address = '', line = '1', column = '1'): FilePlace {
  const file = address.startsWith('file:') ? fileURLToPath(address) : address
  return { file, line: Number(line), column: Number(column) }
}

/** Of a package that does not parse Node.js tells no place here: the import of the first one that fails alone. */
async function placeOfPackage(file: string, { message }: Error): Promise<FilePlace | null> {
  const lines = readFileSync(file, 'utf8').split('\n')
  for (const [index, line] of lines.entries()) {
    const [, specifier] = /^import (?:.* from )?"([^"]+)";$/.exec(line) ?? []
    if (specifier === undefined) continue
    const failed = await importFailure(file, specifier)
    if (failed === message) return { file, line: index + 1, column: line.lastIndexOf(specifier) }
  }
  return null
}

async function importFailure(file: string, specifier: string): Promise<string | null> {
  try {
    const path = specifier.startsWith('.')
      ? resolve(dirname(file), specifier)
      : createRequire(file).resolve(specifier)
    await import(isBuiltin(path) ? path : pathToFileURL(path).href)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : null
  }
}

/** The place in the source that a place in a bundle was made of. */
function sourcePlace(place: FilePlace): FilePlace {
  const map = `${place.file}.map`
  if (!existsSync(map)) return place
  const entry = new SourceMap(JSON.parse(readFileSync(map, 'utf8'))).findEntry(
    place.line - 1,
    place.column - 1,
  )
  if (!('originalSource' in entry)) return place
  const { originalSource, originalLine, originalColumn } = entry
  return { file: resolve(dirname(map), originalSource), line: originalLine + 1, column: originalColumn + 1 }
}

const shownPlace = (cwd: string, { file, line, column }: FilePlace): string =>
  `${relative(cwd, file)}:${line}:${column}`
