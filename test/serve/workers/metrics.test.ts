/** `/metrics` of `acmcp serve --workers`: whichever worker is asked tells of all. */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { freePort } from '../../support/free-port.ts'
import { type MetricFamily, parseExposition } from '../../telemetry/exposition.ts'
import { Connection } from '../support/connection.ts'
import { paceMs } from '../support/dev-process.ts'
import { connectionToEach, startDesk } from './support/desk-app.ts'

t.setTimeout(120_000) // a busy machine

type Scrape = () => Promise<ReadonlyMap<string, MetricFamily>>
type Counts = Readonly<Record<string, number>>

const requests = 'http_server_request_duration_seconds'

/** How many requests of `/api/build` each process has answered, by process id; of all that have any series. */
async function countsByPid(scrape: Scrape): Promise<Counts> {
  const families = await scrape()
  const counts: Record<string, number> = {}
  for (const { name, labels, value } of [...families.values()].flatMap(({ samples }) => samples)) {
    const pid = labels.process_pid ?? 'no process'
    const isCount = name === `${requests}_count` && labels.http_route === '/api/build'
    counts[pid] = (counts[pid] ?? 0) + (isCount ? value : 0)
  }
  return counts
}

const sum = (counts: Counts): number => Object.values(counts).reduce((total, count) => total + count, 0)

/** Scrapes until they are these: an answer is counted after it was sent, and a process that ends is there for a while. */
async function countsUntil(scrape: Scrape, isExpected: (counts: Counts) => boolean): Promise<Counts> {
  for (;;) {
    const counts = await countsByPid(scrape)
    if (isExpected(counts)) return counts
    await pause(paceMs)
  }
}

/** So many requests to each worker; what each has answered, by process id. */
async function work(workers: readonly Connection[]): Promise<Counts> {
  const counts: Record<string, number> = {}
  for (const [index, connection] of workers.entries()) {
    const count = 3 + 4 * index
    for (let at = 0; at < count; at += 1) await connection.ask('/api/build')
    counts[await connection.pid()] = count
  }
  return counts
}

const server = await postgresOrNotice((text) => t.comment(text))
const several = { skip: server === null }
const databaseUrl = async (): Promise<string> => (await server?.freshDatabase()) ?? 'sqlite::memory:'

const token = 'Hq3x-7RmT9vKz_2pLw5YcB8nJd4GsEfA'

t.test('with a token each worker tells of all on the port of the application', several, async (t) => {
  const desk = await startDesk(t, { databaseUrl: await databaseUrl(), env: { METRICS_TOKEN: token } })
  const workers = await connectionToEach(t, desk, 2)
  const expected = await work(workers)
  for (const connection of workers) {
    const scrape: Scrape = async () => {
      const sent = { authorization: `Bearer ${token}` }
      return parseExposition((await connection.ask('/metrics', null, sent)).body)
    }
    t.strictSame(await countsUntil(scrape, (counts) => sum(counts) === sum(expected)), expected)
  }
})

t.test(
  'on a port of its own there is no scrape without an answer: not in a rolling restart, nor while a worker hangs',
  several,
  async (t) => {
    const port = await freePort()
    const desk = await startDesk(t, { databaseUrl: await databaseUrl(), env: { METRICS_PORT: String(port) } })
    t.ok(desk.said.includes(`metrics: http://127.0.0.1:${port}/metrics`))
    const scrape: Scrape = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } })
      if (answer.status !== 200) throw new Error(`a scrape was answered with ${answer.status}`)
      return parseExposition(await answer.text())
    }
    const connections = await connectionToEach(t, desk, 2)
    const before = await work(connections)
    t.strictSame(await countsUntil(scrape, (counts) => sum(counts) === 10), before)

    let isRestarting = true
    const scraping = (async () => {
      while (isRestarting) {
        await scrape()
        await pause(paceMs)
      }
    })()
    await desk.restart().finally(() => {
      isRestarting = false
    })
    await scraping

    for (const connection of connections) connection.close() // each would have one answer more of an old one
    const after = await work(await connectionToEach(t, desk, 2))
    const isOver = (counts: Counts): boolean => Object.keys(counts).length === 2 && sum(counts) === 10
    t.strictSame(await countsUntil(scrape, isOver), after, 'what the old ones had counted is gone with them')
    t.strictSame(
      Object.keys(after).filter((pid) => pid in before),
      [],
    )

    const [hanging = '', other = ''] = Object.keys(after)
    process.kill(Number(hanging), 'SIGSTOP')
    const alone = await countsByPid(scrape).finally(() => process.kill(Number(hanging), 'SIGCONT'))
    t.strictSame(alone, { [other]: after[other] }, 'it is left out')
    t.strictSame(await countsUntil(scrape, isOver), after)
    t.strictSame(await desk.stop(), [0, null])
    await t.rejects(scrape())
  },
)

t.test(
  'with one worker the port is taken on in a rolling restart, and no series names a process',
  async (t) => {
    const port = await freePort()
    const desk = await startDesk(t, {
      workers: 1,
      databaseUrl: 'sqlite:desk.db',
      env: { METRICS_PORT: String(port) },
    })
    // A connection that a scraper keeps may be closed at the moment when it is used again.
    const headers = { connection: 'close' }
    const scrape: Scrape = async () =>
      parseExposition(await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text())
    await new Connection(desk.baseUrl).ask('/api/build')
    t.strictSame(await countsUntil(scrape, (counts) => sum(counts) === 1), { 'no process': 1 })
    await desk.restart()
    t.strictSame(await countsUntil(scrape, (counts) => sum(counts) === 0), { 'no process': 0 })
  },
)
