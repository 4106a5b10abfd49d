/** `.acmcp/build.json`: what the last build saw and made. A build that would see and make the same is not run, and the
 *  compiler is not even loaded. */
import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Counts } from '../compiler/compile.ts'
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import { type Host, sourceFiles } from '../compiler/read/program/host.ts'
import type { ReadResult } from '../compiler/read/read.ts'
import { changesIn, type Observations, type Question, type SeenHost } from './observations.ts'

/** Version of the state file's format: raise it when `BuildState` changes. */
const version = 6

export interface BuildState {
  readonly version: typeof version
  readonly root: string
  /** The settings of the build, as JSON. */
  readonly settings: string
  readonly observations: readonly (readonly [question: string, answer: string])[]
  /** The sources that lie beyond the application's folder, absolute: `openTestApp` and `serve` look whether they are as they
   *  were, as they do with `app/`. */
  readonly sources: readonly string[]
  /** The files that the build made, with their digests. */
  readonly outputs: readonly (readonly [path: string, digest: string])[]
  readonly diagnostics: readonly Diagnostic[]
  readonly counts: Counts
}

const statePath = '.acmcp/build.json'

/** The state that the last build left under `cwd`; null when there is none, or one of another form, or one that is not
 *  as it was written. */
export function readState(cwd: string): BuildState | null {
  const bytes = bytesOf(join(cwd, statePath))
  const end = bytes?.indexOf('\n') ?? -1
  if (bytes === null || end < 0) return null
  const body = bytes.subarray(end + 1)
  if (bytes.toString('utf8', 0, end) !== digestOf(body)) return null
  const state: BuildState = JSON.parse(body.toString('utf8'))
  return state.version === version ? state : null
}

/** Leaves the state for the next build, below a line that is its digest, and returns it. */
export function writeState(cwd: string, state: Omit<BuildState, 'version'>): BuildState {
  const written: BuildState = { version, ...state }
  const body = Buffer.from(JSON.stringify(written))
  const path = join(cwd, statePath)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, Buffer.concat([Buffer.from(`${digestOf(body)}\n`), body]))
  return written
}

function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}

/** What a build with these settings would see otherwise than the one that left `state`; null = everything. */
export function changesSince(
  state: BuildState,
  host: SeenHost,
  settings: string,
): readonly Question[] | null {
  if (state.root !== host.root || state.settings !== settings) return null
  try {
    return changesIn(state.observations, host)
  } catch {
    return null
  }
}

/** Whether all that the build made is as it made it. */
export const hasOutputs = ({ outputs }: BuildState): boolean =>
  outputs.every(([path, digest]) => {
    const bytes = bytesOf(path)
    if (bytes === null || outputDigest(bytes) === digest) return bytes !== null
    return bytes.includes('\r\n') && outputDigest(unixLines(bytes)) === digest
  })

/** A text with the line ends that a build writes. */
export const unixLines = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\r\n', '\n')

/** The files of the application that changed since `before` was read, relative to it; null when something else did that may concern every file.
 *  A new file is one that no build looked for: else that look is among the changes. */
export function changedFiles(
  changes: readonly Question[],
  host: Host,
  { graph }: ReadResult,
): readonly string[] | null {
  const known = new Set(graph.imports.map(([file]) => file))
  const relative = changes.map(({ kind, path }) => ({ kind, path: path.slice(host.root.length + 1) }))
  const isClear = relative.every(({ kind, path }) =>
    kind === 'text' ? known.has(path) && isTypeScript(path) : kind === 'entries' && /^app(\/|$)/.test(path),
  )
  if (!isClear) return null
  const listed = new Set(sourceFiles(host).map((path) => path.slice(host.root.length + 1)))
  const isOwn = (path: string): boolean => path.startsWith('app/')
  const removed = [...known].filter((path) => isOwn(path) && !listed.has(path))
  const added = [...listed].filter((path) => !known.has(path))
  const edited = relative.flatMap(({ kind, path }) => (kind === 'text' ? [path] : []))
  return [...new Set([...edited, ...added, ...removed])]
}

/** What else may be imported, JSON, is read by others too: package.json by all. */
const isTypeScript = (path: string): boolean => /\.([mc]?ts|tsx)$/.test(path)

/** The digest of a file's content. */
const digestOf = (content: Uint8Array): string => hash('sha1', content, 'base64')

/** The digest of a file that a build wrote: it tells accidents and edits by hand, at a tenth of what a hash costs. */
export const outputDigest = (content: string | Uint8Array): string =>
  `${Buffer.byteLength(content)} ${crc32(content)}`

/** The pairs to keep: that a file exists needs no record beside its text. */
export function pairsOf(observations: Observations): BuildState['observations'] {
  return [...observations].filter(([question, answer]) => {
    if (!question.startsWith('file ')) return true
    const text = observations.get(`text ${question.slice('file '.length)}`)
    return text === undefined || (text === 'none') === (answer === 'true')
  })
}
