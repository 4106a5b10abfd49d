/** Users who are blocked and erased while their tokens, sessions and refreshes are used all the time at two instances on PostgreSQL, and one
 *  on SQLite: nothing that begins a second later is answered, everything open has ended by then, others are served on, and nothing of
 *  the erased is in the store. Run: node dist/test/torture/leaving.torture.js [rounds] [engines, comma-separated: sqlite,postgres]; default 50
 *  and both. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openTestApp, type TestApp } from '../../runtime/testing.ts'
import { cookieOf, type Open, openListen, openNews, openTalk } from '../leaving/open-answers.ts'
import { builtTeam, dumpOf, hooks, linesWith, secrets } from '../leaving/team.ts'
import { startPostgres } from '../store/postgres-server.ts'
import { oneWorker, type Servers, twoServers } from './tasks/servers.ts'

const rounds = Number(process.argv[2] ?? 50)
const engines = (process.argv[3] ?? 'sqlite,postgres').split(',')
const graceMs = 1000
const callers = 6

type Headers = Record<string, string>

interface Standing {
  calls: number
  /** Answered though they began a second after the block, and those of others that were not answered. */
  late: number
  refused: number
  /** How long something stayed open, in milliseconds. */
  longest: number
}

/** Calls without a pause until `until` is over. */
async function hammer(
  port: number,
  headers: Headers,
  { isOver, saw }: { readonly isOver: () => boolean; readonly saw: (began: number, status: number) => void },
): Promise<void> {
  while (!isOver()) {
    const began = performance.now()
    const answer = await fetch(`http://127.0.0.1:${port}/team/me`, { headers })
    await answer.arrayBuffer()
    saw(began, answer.status)
  }
}

async function round(app: TestApp, { ports }: Servers, at: number, standing: Standing): Promise<void> {
  const user = { id: `dev:leaver-${at}`, name: `Leaver ${at}`, email: `leaver-${at}@example.com` }
  const bearer = { authorization: `Bearer ${await app.accessToken(user)}` }
  const cookie = { cookie: await cookieOf(app, user) }
  const stays = {
    authorization: `Bearer ${await app.accessToken({ id: 'dev:stays', name: 'Stays', email: null })}`,
  }
  const open: Open[] = []
  for (const port of ports)
    for (const way of [openNews, openTalk, openListen]) open.push(await way(port, bearer))
  for (const port of ports) for (const way of [openNews, openTalk]) open.push(await way(port, cookie))
  let [isOver, leftAt] = [false, Number.POSITIVE_INFINITY]
  const hammers = Array.from({ length: callers }, (_, caller) => {
    const port = ports[caller % ports.length] ?? 0
    const isOther = caller % 3 === 2
    const headers = [bearer, cookie, stays][caller % 3] ?? stays
    return hammer(port, headers, {
      isOver: () => isOver,
      saw: (began, status) => {
        standing.calls += 1
        if (isOther && status !== 200) standing.refused += 1
        if (!isOther && status === 200 && began > leftAt + graceMs) standing.late += 1
      },
    })
  })
  const beganAt = performance.now()
  const { users } = app.services
  const leaving = at % 2 === 0 ? users.block(user.id) : users.erase(user.id)
  if (at % 2 === 0) {
    await leaving
    leftAt = performance.now()
  } else leftAt = beganAt + graceMs // the block is its first step
  await Promise.all(open.map(({ ended }) => ended))
  standing.longest = Math.max(standing.longest, performance.now() - beganAt)
  await leaving
  await new Promise((resolve) => setTimeout(resolve, 2 * graceMs))
  isOver = true
  await Promise.all(hammers)
}

async function prove(engine: string, databaseUrl: string | null, start: typeof twoServers): Promise<void> {
  const cwd = await builtTeam()
  const url = databaseUrl ?? `sqlite:${join(cwd, 'store.db')}`
  const env = {
    ...{ LOG_LEVEL: 'error', DEV_LOGIN: '1', DATABASE_URL: url },
    ...{ JWT_SECRET: secrets.jwtSecrets.join(), SESSION_SECRET: secrets.sessionSecrets.join() },
  }
  const servers = await start({ cwd, env, args: ['--migrate'] })
  const app = await openTestApp({
    cwd,
    environment: { databaseUrl: url, baseUrl: servers.baseUrl, ...secrets },
  })
  hooks.erase = async () => {}
  const standing: Standing = { calls: 0, late: 0, refused: 0, longest: 0 }
  try {
    for (let at = 0; at < rounds; at += 1) await round(app, servers, at, standing)
    const erased = Array.from({ length: rounds }, (_, at) => at).filter((at) => at % 2 === 1)
    const dump = await dumpOf(app.application.store)
    const left = erased.flatMap((at) => linesWith(dump, [`leaver-${at}"`, `leaver-${at}@`]))
    const isRight = standing.late + standing.refused + left.length === 0 && standing.longest < graceMs
    if (!isRight) process.exitCode = 1
    console.log(
      `${isRight ? 'ok' : 'FAILED'} ${engine}: ${JSON.stringify({ rounds, ...standing, left: left.slice(0, 5) })}`,
    )
  } finally {
    await app.close()
    await servers.stop()
    rmSync(cwd, { recursive: true, force: true })
  }
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
