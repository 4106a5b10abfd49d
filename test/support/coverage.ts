/** Of the coverage that Node writes, what is about this package: `c8` then reads a hundredth of it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What Node writes for a process: https://nodejs.org/docs/latest-v20.x/api/cli.html#node_v8_coveragedir */
type Coverage = {
  readonly result: readonly { readonly url: string }[]
  readonly 'source-map-cache'?: Readonly<Record<string, unknown>>
}

const dist = `${pathToFileURL('dist').href}/`
const ours = (url: string): boolean => url.startsWith(dist) && !url.startsWith(`${dist}test/`)

/** Nothing of a file that a killed process has not written to its end. */
function read(file: string): Coverage | undefined {
  try {
    // The cast: the format is Node's, and `c8` judges it again.
    return JSON.parse(readFileSync(file, 'utf8')) as Coverage
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Moves what the processes of `suite` left in `raw` to where `tap` and `c8` look for it. */
export function keepCoverage(raw: string, suite: string): void {
  mkdirSync('.tap/coverage', { recursive: true })
  for (const file of existsSync(raw) ? readdirSync(raw) : []) {
    const coverage = read(join(raw, file))
    if (coverage === undefined) continue
    const maps = Object.entries(coverage['source-map-cache'] ?? {}).filter(([url]) => ours(url))
    const kept = {
      ...coverage,
      result: coverage.result.filter(({ url }) => ours(url)),
      'source-map-cache': Object.fromEntries(maps),
    }
    writeFileSync(join('.tap/coverage', `${suite.replaceAll('/', '-')}-${file}`), JSON.stringify(kept))
  }
  rmSync(raw, { recursive: true, force: true, maxRetries: 3 })
}
