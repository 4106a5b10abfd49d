/** What `tap` runs: every suite, in a few plain processes (`suites/pool.ts`). Left to itself `tap` gives each suite a process, and that
 *  and each process that a suite starts its loaders (TypeScript, mocks, a record of every module): compiled tests need none of
 *  them. `tap --test-arg=store` runs the suites with this in their path. */
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { keepCoverage } from './coverage.ts'
import { runSuites } from './suites/pool.ts'
import { isMeasuring, queuesOf } from './suites/queues.ts'

const wanted = process.argv.slice(2)
const queues = queuesOf(wanted)
if (queues.flat().length === 0) throw new Error(`no suite has ${wanted.join(' or ')} in its path`)

const { env } = process
const covered = env._TAPJS_PROCESSINFO_COVERAGE_ === '1'
const rawCoverage = (worker: number): string => resolve('.tap/raw', String(worker))
const outputs = new Map<string, PassThrough>()
const jobs = Number(env.TAP_JOBS ?? '2')

// The limit is a suite's, not the whole run's.
t.setTimeout(0)
t.jobs = jobs
rmSync('.tap/raw', { recursive: true, force: true }) // of a run that was cut short
await runSuites(queues, {
  jobs,
  timeoutSeconds: Number(env.TAP_TIMEOUT ?? '240'),
  // Node itself passes this variable on to every process that a suite starts. Counting would be part of what is measured.
  env: (worker, queue) =>
    covered && !queue.some(isMeasuring) ? { ...env, NODE_V8_COVERAGE: rawCoverage(worker) } : env,
  onStart(suite) {
    const tapStream = new PassThrough()
    outputs.set(suite, tapStream)
    void t.stdin(suite, { tapStream, buffered: true, timeout: 0 })
  },
  onLine: (suite, line) => void outputs.get(suite)?.write(`${line}\n`),
  onEnd(suite, end) {
    outputs.get(suite)?.end()
    if (typeof end === 'object') t.fail(`${suite} ended with ${end.died}`)
  },
  onWorkerEnd(worker) {
    if (covered) keepCoverage(rawCoverage(worker), String(worker))
  },
})
