/** The lines of the application around the place where an exception was raised, for the development page. */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface CodeFrame {
  /** `app/controllers/notes.ts:12:5` */
  readonly place: string
  readonly lines: readonly { readonly number: number; readonly text: string; readonly isHere: boolean }[]
}

interface Place {
  readonly file: string
  /** Both from 1. */
  readonly line: number
  readonly column: number
}

const ownFolder = fileURLToPath(new URL('../..', import.meta.url))
const linesAround = 4

/** The first frame of the stack that is neither Node's, a package's nor the runtime's, as it stands on disk; through the
 *  source map beside the file when there is one. Null when nothing can be shown. */
export function codeFrameOf(error: Error): CodeFrame | null {
  const place = applicationPlace(error)
  if (place === null) return null
  try {
    const { source, ...original } = throughSourceMap(place)
    const from = Math.max(0, original.line - 1 - linesAround)
    const shown = source.split('\n').slice(from, original.line + linesAround)
    const lines = shown.map((text, index) => ({
      number: from + index + 1,
      text,
      isHere: from + index + 1 === original.line,
    }))
    const file = relative(process.cwd(), original.file)
    return { place: `${file}:${original.line}:${original.column}`, lines }
  } catch {
    return null // the file is gone or its map is broken: the stack says enough
  }
}

// a bundle that was loaded while another was served carries its digest as a query (bundle.ts)
const frameText = /^\s+at (?:.*\()?((?:file:\/\/)?\/[^()]+?\.[cm]?[jt]sx?)(?:\?build=\w+)?:(\d+):(\d+)\)?$/

function applicationPlace({ message, stack = '' }: Error): Place | null {
  // the message stands first, and may come from outside: it names no file
  const frames = stack.slice(stack.indexOf(message) + message.length).split('\n')
  for (const frame of frames) {
    const [, path = '', line, column] = frameText.exec(frame) ?? []
    const file = path.startsWith('file:') ? fileURLToPath(path) : path
    if (file === '' || file.includes('/node_modules/') || file.startsWith(ownFolder)) continue
    return { file, line: Number(line), column: Number(column) }
  }
  return null
}

function throughSourceMap(place: Place): Place & { readonly source: string } {
  const map = sourceMapOf(place.file)
  const entry = map?.findEntry(place.line - 1, place.column - 1)
  if (map === null || entry === undefined || !('originalSource' in entry)) {
    return { ...place, source: readFileSync(place.file, 'utf8') }
  }
  const { originalSource, originalLine, originalColumn } = entry
  const file = resolve(dirname(place.file), originalSource)
  const kept = map.payload.sourcesContent?.[map.payload.sources.indexOf(originalSource)]
  const source = kept ?? readFileSync(file, 'utf8')
  return { file, line: originalLine + 1, column: originalColumn + 1, source }
}

function sourceMapOf(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  } catch {
    return null // there is none: with --enable-source-maps the stack names the sources already
  }
}
