/** `node dist/test/torture/logout-fuzz.torture.js [tokens] [seed]`: 100,000 altered logout tokens by default. Exit code 1 on the first
 *  that is answered with anything but 400, which is printed with its seed. */
import { fuzzLogoutTokens } from '../oauth/support/fuzz-logout.ts'
import { logoutWorld } from '../oauth/support/logout.ts'

const [count = 100_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
const closing: (() => unknown)[] = []
const w = await logoutWorld({ teardown: (close) => void closing.push(close) })
const startedAt = Date.now()
try {
  const statuses = await fuzzLogoutTokens(w, { count, seed })
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  console.log(`logout-fuzz: ${JSON.stringify(statuses)}, seed ${seed}: none accepted, in ${seconds} s`)
} catch (error) {
  console.log(`logout-fuzz: ${error}`)
  process.exitCode = 1
}
for (const close of closing) await close()
