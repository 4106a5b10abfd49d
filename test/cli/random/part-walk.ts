/** Builds of a session beside those of new processes, over random edits: they must come to the same. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { changesIn, type Observations, observed, type SeenHost } from '../../../cli/build/observations.ts'
import { changedFiles } from '../../../cli/build/up-to-date.ts'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import type { Change } from '../../../cli/compiler/read/incremental/merge.ts'
import { createSession } from '../../../cli/compiler/read/program/session.ts'
import type { ReadResult } from '../../../cli/compiler/read/read.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'
import { withClient } from '../support/requested-client.ts'
import { type Edit, edits, zoo } from './changes.ts'

export interface PartWalk {
  readonly builds: number
  /** Builds that took over most of the last one. */
  readonly parts: number
  /** Builds that found mistakes. */
  readonly failed: number
  /** Builds that differ from a full one. */
  readonly wrong: readonly string[]
}

/** Where a walk begins, and what may be done to it. */
export interface Ground {
  readonly start: Files
  readonly edits: ReadonlyMap<string, Edit>
}

interface Last {
  readonly reading: ReadResult
  readonly observations: Observations
}

interface Step {
  readonly built: Compilation
  readonly isPart: boolean
}

/** Makes `count` random edits and builds after each, as `--watch` does. An application that stays broken is repaired. */
export function walkParts(count: number, seed: number, ground: Ground = { start: zoo, edits }): PartWalk {
  const { start } = ground
  const names = fc.sample(fc.constantFrom(...ground.edits.keys()), { numRuns: count, seed })
  const build = createBuild()
  const wrong: string[] = []
  let [parts, failed, inRow] = [0, 0, 0]
  let files = start
  for (const [index, name] of names.entries()) {
    files = inRow > 2 ? start : (ground.edits.get(name)?.(files, index) ?? files)
    const expected = outcome(compile(memoryHost(files), { lint: true, ...withClient }))
    const { built, isPart } = build(files)
    if (!isDeepStrictEqual(outcome(built), expected)) wrong.push(`${index}: ${name}`)
    if (isPart) parts += 1
    const isBroken = built.files.length === 0
    inRow = isBroken ? inRow + 1 : 0
    if (isBroken) failed += 1
  }
  return { builds: count, parts, failed, wrong }
}

/** One build after the other, of which each may go on from the last that was right. */
function createBuild(): (files: Files) => Step {
  const session = createSession()
  let last: Last | null = null
  return (files) => {
    const seen = observed(memoryHost(files))
    const change = last === null ? null : changeSince(last, seen.host)
    const { host, observations } = change === null ? observed(memoryHost(files)) : seen
    const built = compile(host, { lint: true, ...withClient, session, change })
    const isPart = change?.before.units.some((unit) => built.reading.units.includes(unit)) === true
    if (built.files.length > 0) last = { reading: built.reading, observations }
    return { built, isPart }
  }
}

function changeSince({ reading, observations }: Last, host: SeenHost): Change | null {
  const files = changedFiles(changesIn(observations, host), host, reading)
  return files === null ? null : { before: reading, files }
}

const outcome = ({ reading: _unlike, ...rest }: Compilation): object => rest
