/** Builds that know the last one beside full ones, over random edits: they must come to the same. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { changedFiles } from '../../cli/commands/build-state.ts'
import { changesIn, type Observations, observed } from '../../cli/commands/observations.ts'
import { type Compilation, compile } from '../../cli/compiler/compile.ts'
import type { Host } from '../../cli/compiler/read/host.ts'
import type { Change } from '../../cli/compiler/read/part.ts'
import type { Reading } from '../../cli/compiler/read/read.ts'
import { edits, zoo } from './changes.ts'
import { type Files, memoryHost } from './memory-host.ts'

export interface PartWalk {
  readonly builds: number
  /** Builds that took over most of the last one. */
  readonly parts: number
  /** Builds that found mistakes. */
  readonly failed: number
  /** Builds that differ from a full one. */
  readonly wrong: readonly string[]
}

interface Last {
  readonly reading: Reading
  readonly observations: Observations
}

/** Makes `count` random edits and builds after each. An application that stays broken is repaired. */
export function walkParts(count: number, seed: number): PartWalk {
  const names = fc.sample(fc.constantFrom(...edits.keys()), { numRuns: count, seed })
  const wrong: string[] = []
  let [parts, failed, inRow] = [0, 0, 0]
  let files = zoo
  let last: Last | null = null
  for (const [index, name] of names.entries()) {
    files = inRow > 2 ? zoo : (edits.get(name)?.(files, index) ?? files)
    const seen = observed(memoryHost(files))
    const change = last === null ? null : changeSince(last, seen.host)
    const built = compile(seen.host, { lint: true, change })
    if (!isDeepStrictEqual(outcome(built), outcome(fullBuild(files)))) wrong.push(`${index}: ${name}`)
    if (isPart(change, built)) parts += 1
    inRow = built.files.length === 0 ? inRow + 1 : 0
    if (built.files.length === 0) failed += 1
    else last = { reading: built.reading, observations: seen.observations }
  }
  return { builds: count, parts, failed, wrong }
}

const fullBuild = (files: Files): Compilation => compile(memoryHost(files), { lint: true })

/** As it comes from a file. */
function changeSince({ reading, observations }: Last, host: Host): Change | null {
  const files = changedFiles(changesIn(observations, host), host, reading)
  return files === null ? null : JSON.parse(JSON.stringify({ before: reading, files }))
}

const isPart = (change: Change | null, { reading }: Compilation): boolean =>
  change?.before.units.some((unit) => reading.units.includes(unit)) === true

const outcome = ({ reading: _unlike, ...rest }: Compilation): object => rest
