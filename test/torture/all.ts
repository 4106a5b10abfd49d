/** `npm run torture [sizes]`: runs every `*.torture.js` beside it in turn and sums up; exit code 1 when one fails. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const files = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.torture.js'))
  .sort()

const failed = files.filter((file) => {
  process.stdout.write(`== ${file}\n`)
  const started = performance.now()
  const { status } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, file), ...process.argv.slice(2)],
    {
      stdio: 'inherit',
    },
  )
  process.stdout.write(
    `== ${file}: ${status === 0 ? 'passed' : 'FAILED'}, ${Math.round((performance.now() - started) / 1000)} s\n`,
  )
  return status !== 0
})

process.stdout.write(
  `${files.length - failed.length} of ${files.length} passed${failed.map((file) => `\n  FAILED ${file}`).join('')}\n`,
)
process.exitCode = failed.length === 0 ? 0 : 1
