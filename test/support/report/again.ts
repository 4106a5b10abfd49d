/** What failed in a run, once more and alone, as CI does: what others do on the machine can make a test fail that waits for something.
 *  What fails twice has failed. `node dist/test/support/report/again.js [file]` reads what `tap` has kept of the run; exit code 1 unless
 *  every suite that failed passes now. `npm test` never runs it. */
import { existsSync, readFileSync } from 'node:fs'
import { runSuites } from '../suites/pool.ts'

const file = process.argv[2] ?? '.tap/test-results/dist/test/support/all.js.tap'
const run = existsSync(file) ? readFileSync(file, 'utf8') : ''
const isWhole = /^1\.\./m.test(run)
const failed = isWhole
  ? [...run.matchAll(/^not ok \d+ - (\S+\.test\.js)/gm)].map(([, suite = '']) => suite)
  : []

/** As `npm test` runs it: what suites share, such as a PostgreSQL, ends with the process that runs them. */
async function passes(suite: string): Promise<boolean> {
  let text = ''
  let isGood = false
  await runSuites([[suite]], {
    jobs: 1,
    timeoutSeconds: 240,
    env: () => process.env,
    onStart() {},
    onLine: (_suite, line) => {
      text += `${line}\n`
    },
    onEnd: (_suite, end) => {
      isGood = end === 'passed'
    },
  })
  process.stdout.write(
    isGood ? `FAILED AT FIRST, passes alone: ${suite}\n` : `${text}\nfailed twice: ${suite}\n`,
  )
  return isGood
}

const passed: boolean[] = []
for (const suite of failed) passed.push(await passes(suite))
process.exitCode = isWhole && failed.length > 0 && passed.every(Boolean) ? 0 : 1
