/** 100,000 mutated requests to the example in production mode: `node dist/test/torture/http-fuzz.torture.js [count] [seed]`. */
import { fuzz } from '../http/support/fuzz.ts'

const [count = '100000', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2)
const total = Number(count)
const batch = 5_000
const failures: string[] = []
const statuses = new Map<number, number>()

for (let done = 0; done < total; done += batch) {
  const size = Math.min(batch, total - done)
  const report = await fuzz(Math.ceil(size * 0.95), Math.floor(size * 0.05), Number(seed) + done)
  failures.push(...report.failures)
  for (const [status, times] of report.statuses) statuses.set(status, (statuses.get(status) ?? 0) + times)
}

for (const failure of failures.slice(0, 20)) process.stdout.write(`${failure}\n`)
const seen = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`)
process.stdout.write(
  `http-fuzz: ${total} requests, seed ${seed}, ${failures.length} failures (${seen.join(', ')})\n`,
)
process.exitCode = failures.length === 0 ? 0 : 1
