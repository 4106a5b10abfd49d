/** The notes of a build beside `build.json`, which a build after a change goes on from: `reading.json` says what lies where
 *  in `kept.bin`. Each holds the digest of the next, so that notes which do not belong together are none. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { notesOf, readingIn } from '../compiler/cache/notes.ts'
import type { Reading } from '../compiler/read/read.ts'
import { type BuildState, digestOf, sealed, statePath, version } from './up-to-date.ts'

const indexPath = '.acmcp/reading.json'
const keptPath = '.acmcp/kept.bin'

/** What was read for the build that left `state`; null when it is gone, or not as it was left. */
export function readReading(cwd: string, { reading }: BuildState): Reading | null {
  const index = sealed(join(cwd, indexPath), reading)
  if (index === null) return null
  try {
    return readingIn(index, readFileSync(join(cwd, keptPath)))
  } catch {
    return null
  }
}

/** Writes down what the next build may know of this one, and gives the state of it; `before` is what this one went on from.
 *  The state comes last: a process that is killed leaves one that fits what lies beside it, or none that does. */
export function writeNotes(
  cwd: string,
  { reading, ...state }: Omit<BuildState, 'version' | 'reading'> & { readonly reading: Reading },
  before: Reading | null,
): BuildState {
  const kept = join(cwd, keptPath)
  const noted = notesOf(reading, before)
  const isThere = statSync(kept, { throwIfNoEntry: false })?.size === noted.start
  const { index, start, bytes } = isThere || noted.start === 0 ? noted : notesOf(reading, null)
  const body = Buffer.from(index)
  const made: BuildState = { version, ...state, reading: digestOf(body) }
  mkdirSync(dirname(kept), { recursive: true })
  writeFileSync(kept, bytes, { flag: start === 0 ? 'w' : 'a' })
  writeSealed(join(cwd, indexPath), body)
  writeSealed(join(cwd, statePath), Buffer.from(JSON.stringify(made)))
  return made
}

function writeSealed(path: string, body: Buffer): void {
  writeFileSync(path, Buffer.concat([Buffer.from(`${digestOf(body)}\n`), body]))
}
