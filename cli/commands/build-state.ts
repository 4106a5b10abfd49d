/** `.acmcp/build.json`: what the last build saw and made. A build that would see and make the same is not run, and the
 *  compiler is not even loaded. */
import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import type { Counts } from '../compiler/compile.ts'
import type { Diagnostic } from '../compiler/diagnostics.ts'
import { filesBelow, type Host } from '../compiler/read/host.ts'
import { holds, type Observations } from './observations.ts'

export interface BuildState {
  readonly root: string
  /** The settings of the build, as JSON. */
  readonly settings: string
  readonly observations: readonly (readonly [question: string, answer: string])[]
  /** The files that the build made, with their digests. */
  readonly outputs: readonly (readonly [path: string, digest: string])[]
  readonly diagnostics: readonly Diagnostic[]
  readonly counts: Counts
}

export const statePath = '.acmcp/build.json'

/** The state that the last build left under `cwd`; null when there is none that can be read. */
export function readState(cwd: string): BuildState | null {
  try {
    return JSON.parse(readFileSync(join(cwd, statePath), 'utf8'))
  } catch {
    return null
  }
}

/** Whether a build with these settings would see what `state` saw and find what it made. */
export function isCurrent(state: BuildState, host: Host, settings: string): boolean {
  if (state.root !== host.root || state.settings !== settings) return false
  try {
    return (
      state.outputs.every(([path, digest]) => digestOf(readFileSync(path)) === digest) &&
      holds(state.observations, host)
    )
  } catch {
    return false
  }
}

/** The digest of a file's content. */
export const digestOf = (bytes: Uint8Array): string => hash('sha1', bytes, 'base64')

/** Asks `host` what the bundler went by: its inputs, their neighbours, and the settings that lie above them. Says
 *  whether that is all: not when an input changed after `since` (ms), and not when settings lie where only the
 *  bundler looks. */
export function observeInputs(host: Host, inputs: readonly string[], since: number): boolean {
  const folders = new Set<string>()
  for (const input of inputs) {
    if (statSync(input).ctimeMs >= since) return false
    host.readFile(input)
    folders.add(dirname(input))
  }
  return [...folders].every((folder) => {
    host.readDirectory(folder)
    return [['package.json'], ['tsconfig.json', 'jsconfig.json']].every((names) => {
      const found = nearest(host, folder, names)
      return found === null || names.includes('package.json') || found === `${host.root}/tsconfig.json`
    })
  })
}

/** The first file of these names in `folder` or above it. */
function nearest(host: Host, folder: string, names: readonly string[]): string | null {
  for (let above = folder; ; above = dirname(above)) {
    const found = names.map((name) => join(above, name)).find((path) => host.readFile(path) !== null)
    if (found !== undefined) return found
    if (above === dirname(above)) return null
  }
}

/** Asks `host` what the tool itself is made of: its own files, and the versions of the packages that do the work. */
export function observeTool(host: Host): void {
  const room = resolve(import.meta.dirname, '..')
  for (const path of filesBelow(host, room, (name) => name.endsWith('.js'))) host.readFile(path)
  const { resolve: locate } = createRequire(import.meta.url)
  for (const name of ['ts-morph', 'esbuild', 'typebox/schema'])
    nearest(host, dirname(locate(name)), ['package.json'])
}

/** The pairs to keep: that a file exists needs no record beside its text. */
export function pairsOf(observations: Observations): BuildState['observations'] {
  return [...observations].filter(([question, answer]) => {
    if (!question.startsWith('file ')) return true
    const text = observations.get(`text ${question.slice('file '.length)}`)
    return text === undefined || (text === 'none') === (answer === 'true')
  })
}
