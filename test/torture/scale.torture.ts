/** 2 instances of 2 workers on PostgreSQL behind a blind round robin serve an application of a stranger to people with MCP clients of three
 *  kinds, while instances are restarted and change to another version with another schema, workers are killed, and PostgreSQL is stopped
 *  once. Run: node dist/test/torture/scale.torture.js [requests]; default 100000. */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { clientKinds } from '../flow/client-kinds.ts'
import { type PostgresServer, startPostgres } from '../store/postgres-server.ts'
import { freePort } from '../support/free-port.ts'
import { audit } from './scale/audit.ts'
import { startBalancer } from './scale/balancer.ts'
import { startFleet } from './scale/fleet.ts'
import { startIdentityProvider } from './scale/identity-provider.ts'
import { Person } from './scale/person.ts'
import { kills, outage, type Report, restarts, type Scene, steady } from './scale/phases.ts'
import { buildIn, buildStranger, deploy } from './scale/stranger-app.ts'

const requests = Number(process.argv[2] ?? 100_000)
const peoplePerKind = 8
const maxFailuresShown = 10
const maxErrorsShown = 30

console.warn = () => {} // of the SDK's clients, which advise on how to write a provider

const identity = await startIdentityProvider()
const folder = buildStranger(identity.issuer)
const newer = buildStranger(identity.issuer, 2)
const builds = { old: buildIn(folder), new: buildIn(newer) }
const deployNew = (): void => deploy(folder, builds.new)

interface Plan {
  readonly name: string
  readonly instances: number
  readonly databaseUrl: string
  readonly phases: (scene: Scene) => AsyncIterable<Report>
}

/** Returns what was wrong. */
async function prove({ name, instances, databaseUrl, phases }: Plan): Promise<number> {
  deploy(folder, builds.old)
  const balancer = await startBalancer(await freePort(), '/readyz')
  const secret = (): string => randomBytes(32).toString('hex')
  const secrets = { JWT_SECRET: secret(), SESSION_SECRET: secret() }
  const server = {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    SHUTDOWN_DELAY_SECONDS: '1',
    DATABASE_POOL_SIZE: '8',
  }
  const env = { ...server, ...secrets, BASE_URL: balancer.baseUrl, DATABASE_URL: databaseUrl }
  const fleet = await startFleet(balancer, instances, { cwd: folder, workers: 2, env, args: ['--migrate'] })
  const people = Array.from({ length: peoplePerKind }, () => clientKinds)
    .flat()
    .map((kind) => new Person(kind, balancer.baseUrl))
  const wrong: string[] = []
  try {
    for await (const report of phases({ balancer, fleet, people })) {
      notify(name, report)
      wrong.push(...report.failures.map((failure) => `${report.name}: ${failure}`))
    }
    for (const person of people) await person.leave()
  } finally {
    await fleet.stop()
    await balancer.close()
  }
  wrong.push(...people.flatMap((person) => person.wrong))
  wrong.push(
    ...(await audit(
      databaseUrl,
      people.flatMap(({ ledger }) => ledger ?? []),
    )),
  )
  conclude(name, { people, requests: balancer.exchanges.length, wrong })
  if (wrong.length > 0) for (const error of fleet.errors().slice(-maxErrorsShown)) console.log(error)
  return wrong.length
}

function notify(engine: string, { name, verdict, done, reported, failures }: Report): void {
  const { requests, medianMs, p99Ms, longestMs, left } = verdict
  console.log(
    `${failures.length === 0 ? 'ok' : 'FAILED'} ${engine}, ${name}: ${requests} requests, ${done} things done, ` +
      `median ${medianMs} ms, p99 ${p99Ms} ms, longest ${longestMs} ms, ${left} left by clients; ${reported}`,
  )
  for (const failure of failures.slice(0, maxFailuresShown)) console.log(`    ${failure}`)
}

interface Conclusion {
  readonly people: readonly Person[]
  readonly requests: number
  readonly wrong: readonly string[]
}

function conclude(engine: string, { people, requests, wrong }: Conclusion): void {
  const sum = (count: (person: Person) => number): number =>
    people.reduce((all, person) => all + count(person), 0)
  const visible = people.flatMap(({ visibleAfterMs }) => visibleAfterMs).sort((a, b) => a - b)
  console.log(
    `${wrong.length === 0 ? 'ok' : 'FAILED'} ${engine}, all: ${requests} requests, ${sum((person) => person.signIns)} sign-ins, ` +
      `${sum((person) => person.ledger?.additions ?? 0)} additions, ${sum((person) => person.races)} races for a refresh token, ` +
      `${visible.length} revocations, the slowest refused after ${Math.round(visible.at(-1) ?? 0)} ms; wrong: ${wrong.length}`,
  )
  for (const text of wrong.slice(0, 2 * maxFailuresShown)) console.log(`    ${text}`)
}

const share = (of: number, part: number): number => Math.ceil(of * part)

async function onPostgres(count: number): Promise<number> {
  const server: PostgresServer = await startPostgres()
  const { power } = server
  async function* phases(scene: Scene): AsyncGenerator<Report> {
    yield await steady(scene, share(count, 0.3))
    yield await restarts(scene, share(count, 0.3), deployNew)
    yield await kills(scene, share(count, 0.25))
    if (power === null) console.log('the outage is left out: the server is not ours to stop')
    else yield await outage(scene, share(count, 0.05), power)
    yield await steady(scene, share(count, 0.1))
  }
  try {
    return await prove({ name: 'PostgreSQL, 2 × 2', instances: 2, databaseUrl: server.url, phases })
  } finally {
    await server.stop()
  }
}

let wrong = 0
try {
  wrong = await onPostgres(requests)
} finally {
  identity.close()
  for (const text of [folder, newer]) rmSync(text, { recursive: true, force: true })
}
process.exitCode = wrong === 0 ? 0 : 1
