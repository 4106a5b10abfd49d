/** `node dist/test/torture/permission.torture.js [calls] [seed]`: 100,000 calls by default, to applications whose scopes, routes and
 *  grants are drawn at random. Exit code 1 when one did what it must not, or a list showed something else. */
import { buildNotes } from '../flow/permission/support/notes-app.ts'
import { playRound } from '../flow/permission/support/random-round.ts'
import { newWorld } from '../flow/permission/support/world.ts'

const [total = 100_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
const perRound = 400
const world = newWorld(await buildNotes())
const startedAt = Date.now()
const breaches: string[] = []
let calls = 0
let ran = 0
let lists = 0

for (let round = 0; calls < total && breaches.length === 0; round += 1) {
  const played = await playRound(world, seed + round, Math.min(perRound, total - calls))
  calls += played.calls
  ran += played.ran
  lists += played.lists
  breaches.push(...played.breaches)
}

for (const breach of breaches.slice(0, 20)) process.stdout.write(`${breach}\n`)
const seconds = Math.round((Date.now() - startedAt) / 1000)
process.stdout.write(
  `permission: ${calls} calls, ${ran} actions ran, ${lists} lists, seed ${seed}, ${breaches.length} breaches, in ${seconds} s\n`,
)
process.exitCode = breaches.length === 0 ? 0 : 1
