/** What `tap` runs: every suite, a process each, started as a user's own Node would start it. Left to itself `tap` gives each
 *  suite, and each process that a suite starts, its loaders (TypeScript, mocks, a record of every module): compiled tests need none
 *  of them, and a run would spend as long in them as in the tests. `tap --test-arg=store` runs the suites with this in their path. */
import { readdirSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import t from 'tap'
import { keepCoverage } from './coverage.ts'

const covered = process.env._TAPJS_PROCESSINFO_COVERAGE_ === '1'
const folder = dirname(import.meta.dirname)
const wanted = process.argv.slice(2)
const suites = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js'))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .map((file) => relative(process.cwd(), join(folder, file)))
  .sort()

/** As `acmcp build` has it: a suite lives for seconds, and V8 spends a fifth of them on optimised code that hardly runs. */
const flags = process.versions.v8.startsWith('11.') // Node 20: later ones have other flags
  ? ['--interrupt-budget=264000', '--max-inlined-bytecode-size-cumulative=300']
  : []

async function run(suite: string): Promise<void> {
  const env = { ...process.env }
  const raw = resolve('.tap/raw', suite)
  rmSync(raw, { recursive: true, force: true }) // of a run that was cut short
  // Node itself passes this variable on to every process that a suite starts.
  if (covered) env.NODE_V8_COVERAGE = raw
  // `t.spawn` adds tap's loader to NODE_OPTIONS: only a command between the two can take it away.
  const command = ['-u', 'NODE_OPTIONS', process.execPath, ...flags, '--enable-source-maps', suite]
  const timeout = Number(process.env.TAP_TIMEOUT ?? '240') * 1000
  const spawned = t.spawn('env', command, { buffered: true, env, timeout }, suite)
  const { fail } = (await spawned) ?? { fail: 0 }
  const { exitCode, signal } = spawned.subtest?.options ?? {}
  // Of a suite that was killed no assertion failed: tap's report would not name it.
  if (signal !== null || (fail === 0 && exitCode !== 0)) t.fail(`${suite} ended with ${signal ?? exitCode}`)
  if (covered) keepCoverage(raw, suite)
}

if (suites.length === 0) throw new Error(`no suite has ${wanted.join(' or ')} in its path`)
// The limit is a suite's, not the whole run's.
t.setTimeout(0)
t.jobs = Number(process.env.TAP_JOBS ?? '2')
await Promise.all(suites.map(run))
