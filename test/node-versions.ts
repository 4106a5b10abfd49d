/** `npm run test:node`: the whole suite on other versions of Node, one after the other. `node dist/test/node-versions.js
 *  [version …]`; 22 and 24 when none is given. Needs the registry the first time. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installed } from './support/installed.ts'

const versions = process.argv.length > 2 ? process.argv.slice(2) : ['22', '24']

/** Whether the suite passes; what tests spawn finds this version too. */
function passesOn(version: string): boolean {
  const bin = join(installed(`node-${version}`, { node: version }), 'node', 'bin')
  const node = join(bin, 'node')
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` }
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8', env })
  process.stdout.write(`# Node ${stdout}`)
  const tap = join(process.cwd(), 'node_modules/tap/dist/esm/run.mjs')
  const passes = (script: string): boolean =>
    spawnSync(node, [script], { stdio: 'inherit', env }).status === 0
  rmSync('.tap/test-results', { recursive: true, force: true }) // of another version
  return passes(tap) || passes('dist/test/support/report/again.js')
}

const failed = versions.filter((version) => !passesOn(version))
if (failed.length > 0)
  spawnSync(process.execPath, ['dist/test/support/report/failures.js'], { stdio: 'inherit' })
process.stdout.write(failed.length === 0 ? 'every version passed\n' : `failed on Node ${failed.join(', ')}\n`)
process.exitCode = failed.length === 0 ? 0 : 1
