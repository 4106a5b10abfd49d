/** `node dist/test/torture/oauth-fuzz.torture.js [requests] [tokens] [seed]`: 100,000 of each by default. Exit code 1
 *  on the first breach, which is printed with its seed. */
import { fuzzRequests, fuzzTokens } from '../oauth/support/fuzz.ts'

const [requests = 100_000, tokens = 100_000, seed = Date.now() % 1_000_000] = process.argv
  .slice(2)
  .map(Number)

const runs = [
  ['mutated requests', fuzzRequests, requests],
  ['mutated JWTs', fuzzTokens, tokens],
] as const

for (const [name, fuzz, count] of runs) {
  const closing: (() => unknown)[] = []
  const startedAt = Date.now()
  try {
    await fuzz({ teardown: (close) => void closing.push(close) }, { count, seed })
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
    console.log(`oauth-fuzz: ${count} ${name}, seed ${seed}: no 5xx, none accepted, in ${seconds} s`)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
    console.log(`oauth-fuzz: ${name}, seed ${seed}: ${error} ${cause}`)
    process.exitCode = 1
  }
  for (const close of closing) await close()
}
