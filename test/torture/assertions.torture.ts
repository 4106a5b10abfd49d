/** Mutated identity and client assertions: no 5xx, none accepted, nobody is made of them. Run: node dist/test/torture/assertions.torture.js
 *  [count] [seed]; default 100,000 and the time. */
import { answersTo, randomFrom } from '../oauth/support/assertion-fuzz.ts'
import { enterpriseWorld } from '../oauth/support/enterprise.ts'

const count = Number(process.argv[2] ?? 100_000)
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000)

const ends: (() => unknown)[] = []
const w = await enterpriseWorld({ teardown: (end) => void ends.push(end) })
const began = performance.now()
try {
  const statuses = await answersTo(w, count, randomFrom(seed))
  const people = (await w.store.listUsers(10)).length
  const [good] = await w.ask(w.form(w.jag()))
  const isRight = people === 0 && good === 200
  if (!isRight) process.exitCode = 1
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const standing = { seed, statuses: Object.fromEntries(statuses), people, good }
  console.log(`${isRight ? 'ok' : 'FAILED'} ${count} assertions: ${JSON.stringify(standing)}, ${seconds} s`)
} finally {
  for (const end of ends) await end()
}
