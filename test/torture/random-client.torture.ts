/** `node dist/test/torture/random-client.torture.js [applications] [seed]`: random applications of 40 routes, each called through
 *  its client with random values. */
import { judgeRandomClient } from '../cli/client/random-client.ts'

const [applications = 40, first = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
let [calls, wrong] = [0, 0]
for (let seed = first; seed < first + applications; seed++) {
  const clean: (() => unknown)[] = []
  const found = await judgeRandomClient(
    { teardown: (item) => void clean.unshift(item) },
    { routes: 40, calls: 20, seed },
  )
  for (const item of clean) await item()
  calls += found.calls
  const all = [...found.wrong, ...(found.typeErrors === '' ? [] : [found.typeErrors])]
  wrong += all.length
  if (all.length > 0) process.stdout.write(`seed ${seed}:\n${all.join('\n')}\n`)
}
process.stdout.write(
  `clients: seeds ${first} to ${first + applications - 1}, ${calls} calls, ${wrong} wrong\n`,
)
process.exitCode = wrong === 0 && calls > 0 ? 0 : 1
