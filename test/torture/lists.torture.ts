/** `node dist/test/torture/lists.torture.js [runs] [seed]`: the property of `mcp/access/property.test.ts`, what is shown is exactly what
 *  can be called, with more of scopes, routes and tokens. Exit code 1 when it does not hold. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const [runs = 400, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
const test = join(import.meta.dirname, '../mcp/access/property.test.js')
const { status, stdout } = spawnSync(process.execPath, [test], {
  encoding: 'utf8',
  env: { ...process.env, ACMCP_RUNS: String(runs), ACMCP_SEED: String(seed), TAP_TIMEOUT: '0' },
  maxBuffer: Number.POSITIVE_INFINITY,
})
const lines = stdout.split('\n')
const failed = lines.filter((line) => /^ *not ok /.test(line))
const reported = lines.filter((line) => / calls, /.test(line) && line.includes('#'))
process.stdout.write(
  `lists: seed ${seed}, ${failed.length} wrong${[...reported, ...failed].map((line) => `\n${line}`).join('')}\n`,
)
process.exitCode = status === 0 ? 0 : 1
