/** Calls with idempotency keys: fifty at once on two processes (on SQLite one), and kills between claim, effect and mark. Nothing is done twice; where the
 *  effect and the mark are in one transaction everything is done once, and nothing is unknown when the leases are over. Each kill comes
 *  while ten keys are sent three times each, and is followed by a call of each. Run: node dist/test/torture/idempotency.torture.js [rounds]
 *  [kills] [engines, comma-separated: sqlite,postgres]; default 1000, 100 and both. Needs `acmcp build`. */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../store/postgres-server.ts'
import { keyedKills } from './support/keyed-kills.ts'
import { builtPayments } from './support/keyed-payments.ts'
import { keyedRaces } from './support/keyed-races.ts'
import { oneWorker, type Servers, twoServers } from './tasks/servers.ts'

const rounds = Number(process.argv[2] ?? 1000)
const kills = Number(process.argv[3] ?? 100)
const engines = (process.argv[4] ?? 'sqlite,postgres').split(',')

const secret = (): string => randomBytes(32).toString('hex')

const optionsFor = (cwd: string, databaseUrl: string): Parameters<typeof twoServers>[0] => ({
  cwd,
  env: {
    ...{ LOG_LEVEL: 'error', DEV_LOGIN: '1', DATABASE_URL: databaseUrl },
    ...{ JWT_SECRET: secret(), SESSION_SECRET: secret() },
  },
  args: ['--migrate'],
})

type Start = (options: ReturnType<typeof optionsFor>) => Promise<Servers>

async function prove(engine: string, databaseUrl: string | null, start: Start): Promise<void> {
  const folder = await builtPayments()
  const options = optionsFor(folder, databaseUrl ?? `sqlite:${join(folder, 'store.db')}`)
  try {
    await timed(`races, ${engine}`, async () => {
      const servers = await start(options)
      const standing = await keyedRaces(servers, { rounds, folder }).finally(() => servers.stop())
      const isRight =
        standing.once === rounds && standing.wrong === 0 && Object.keys(standing.others).length === 0
      return { standing, isRight }
    })
    await timed(`kills, ${engine}`, async () => {
      const standing = await keyedKills(options, kills)
      const { file, table } = standing
      const all = [
        file.twice,
        file.changed,
        file.wrong,
        table.twice,
        table.changed,
        table.wrong,
        table.unknown,
      ]
      return { standing, isRight: all.every((count) => count === 0) && table.once === table.keys }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function timed(
  what: string,
  run: () => Promise<{ readonly standing: object; readonly isRight: boolean }>,
): Promise<void> {
  const began = performance.now()
  const { standing, isRight } = await run()
  if (!isRight) process.exitCode = 1
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  console.log(`${isRight ? 'ok' : 'FAILED'} ${what}: ${JSON.stringify(standing)}, ${seconds} s`)
}

async function onPostgres(): Promise<void> {
  const server = await startPostgres()
  try {
    await prove('PostgreSQL', server.url, twoServers)
  } finally {
    await server.stop()
  }
}

for (const engine of engines) await (engine === 'postgres' ? onPostgres() : prove('SQLite', null, oneWorker))
