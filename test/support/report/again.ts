/** What failed in a run, once more and alone, as CI does: what others do on the machine can make a test fail that waits for something.
 *  What fails twice has failed. `node dist/test/support/report/again.js [file]` reads what `tap` has kept of the run; exit code 1 unless
 *  every suite that failed passes now. `npm test` never runs it. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const file = process.argv[2] ?? '.tap/test-results/dist/test/support/all.js.tap'
const run = existsSync(file) ? readFileSync(file, 'utf8') : ''
const isWhole = /^1\.\./m.test(run)
const failed = isWhole
  ? [...run.matchAll(/^not ok \d+ - (\S+\.test\.js)/gm)].map(([, suite = '']) => suite)
  : []

/** As `npm test` runs it: what suites share, such as a PostgreSQL, ends with the process that runs them. */
function passes(suite: string): boolean {
  const { status, stdout } = spawnSync(process.execPath, ['dist/test/support/all.js', suite], {
    encoding: 'utf8',
    env: { ...process.env, TAP_JOBS: '1' },
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const isGood = status === 0
  process.stdout.write(
    isGood ? `FAILED AT FIRST, passes alone: ${suite}\n` : `${stdout}\nfailed twice: ${suite}\n`,
  )
  return isGood
}

process.exitCode = isWhole && failed.length > 0 && failed.map(passes).every(Boolean) ? 0 : 1
