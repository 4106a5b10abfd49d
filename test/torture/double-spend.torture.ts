/** 0 doubles in so many races of so many contenders, for a code, for a refresh token and for its five retries each: in one process and in 4 on
 *  one SQLite file, in 4 on PostgreSQL. Run: node dist/test/torture/double-spend.torture.js [races] [contenders]
 *  [modes, comma-separated: sqlite-1,sqlite-4,postgres-4]; default 10000 50 and all. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../store/postgres-server.ts'
import { doubleSpend } from './support/double-spend.ts'

const races = Number(process.argv[2] ?? 10_000)
const contenders = Number(process.argv[3] ?? 50)
const modes = (process.argv[4] ?? 'sqlite-1,sqlite-4,postgres-4').split(',')

for (const mode of modes) {
  const [engine, processes] = mode.split('-')
  const database = engine === 'postgres' ? await startPostgres() : sqliteFile()
  const began = performance.now()
  try {
    const standing = await doubleSpend({ url: database.url, processes: Number(processes), races, contenders })
    const seconds = (performance.now() - began) / 1000
    const isRight =
      standing.races === 3 * races && standing.doubles + standing.withoutWinner + standing.strange === 0
    if (!isRight) process.exitCode = 1
    console.log(
      `${isRight ? 'ok' : 'FAILED'} double spend, ${mode}: ${JSON.stringify(standing)}, ${contenders} contenders each, ` +
        `${seconds.toFixed(0)} s, ${(standing.races / seconds).toFixed(0)} races/s`,
    )
  } finally {
    await database.stop()
  }
}

function sqliteFile(): { readonly url: string; stop(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-spend-'))
  return {
    url: `sqlite:${join(folder, 'store.db')}`,
    stop: async () => rmSync(folder, { recursive: true }),
  }
}
