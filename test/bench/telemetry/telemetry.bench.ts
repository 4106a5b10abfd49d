/** `npm run bench:telemetry [calls] [-- --against FOLDER]`: what telemetry costs a tool call, in this process, without sockets: the
 *  endpoint is called as the server calls it. Each way runs in a process of its own, five times, taken in turns; the least counts.
 *  `--against`: another checkout of this repository, for example one from before telemetry, measured the same. */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Measured, Way } from './calls.ts'

const { values, positionals } = parseArgs({
  options: { against: { type: 'string' } },
  allowPositionals: true,
})
const [calls = '1000000'] = positionals
const rounds = 5

interface Target {
  readonly name: string
  readonly dist: string
  readonly way: Way
}

const own = resolve('dist')
const targets: readonly Target[] = [
  ...(values.against === undefined
    ? []
    : [{ name: 'the other checkout', dist: join(resolve(values.against), 'dist'), way: 'before' as const }]),
  { name: 'off', dist: own, way: 'off' },
  { name: 'native, nobody listens', dist: own, way: 'native' },
  { name: 'native, /metrics', dist: own, way: 'metrics' },
  { name: 'native, a propagator and no SDK', dist: own, way: 'api' },
  { name: 'propagation, an SDK', dist: own, way: 'propagation' },
  { name: 'native, an SDK that samples nothing', dist: own, way: 'unsampled' },
  { name: 'native, an SDK that exports to nobody', dist: own, way: 'sdk' },
]

function measure({ dist, way }: Target): Measured {
  const script = join(own, 'test/bench/telemetry/calls.js')
  const flags = ['--expose-gc', '--max-semi-space-size=128']
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, script, dist, way, calls], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const least = new Map<string, Measured>()
for (let round = 0; round < rounds; round += 1) {
  for (const target of targets) {
    const found = measure(target)
    const known = least.get(target.name) ?? found
    least.set(target.name, {
      microseconds: Math.min(known.microseconds, found.microseconds),
      bytes: Math.min(known.bytes, found.bytes),
    })
  }
}
const base = least.get(targets[0]?.name ?? '')
for (const [name, { microseconds, bytes }] of least) {
  const more = microseconds - (base?.microseconds ?? 0)
  const moreBytes = bytes - (base?.bytes ?? 0)
  process.stdout.write(
    `${name.padEnd(40)} ${microseconds.toFixed(3)} µs (${more >= 0 ? '+' : ''}${more.toFixed(3)})  ${bytes.toFixed(0)} B (${moreBytes >= 0 ? '+' : ''}${moreBytes.toFixed(0)})\n`,
  )
}
