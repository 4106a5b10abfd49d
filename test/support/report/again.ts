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

/** A suite that fails may still exit with 0: what it imports has hooks of its own. */
function passes(suite: string): boolean {
  const { status, stdout } = spawnSync(process.execPath, ['--enable-source-maps', suite], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const isGood = status === 0 && !/^ *not ok/m.test(stdout)
  process.stdout.write(
    isGood ? `FAILED AT FIRST, passes alone: ${suite}\n` : `${stdout}\nfailed twice: ${suite}\n`,
  )
  return isGood
}

process.exitCode = isWhole && failed.length > 0 && failed.map(passes).every(Boolean) ? 0 : 1
