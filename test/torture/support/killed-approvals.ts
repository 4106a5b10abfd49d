/** `acmcp serve` with calls that a person must approve, killed while they come. What has run is in a file of the application, a line for
 *  each, written before the method returns. */
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  allowInBrowser,
  authorizationRequest,
  Browser,
  redirectUri,
  type SpawnedServer,
  spawnServe,
} from '../../flow/support.ts'
import { freePort } from '../../support/free-port.ts'
import { builtFolder } from '../../support/linked.ts'
import { openStore } from '../../support/whole-store.ts'

export interface ApprovalStanding {
  readonly kills: number
  readonly approved: number
  readonly ranOnce: number
  /** Approved, and lost by a kill between spending and running. */
  readonly lost: number
  readonly twice: number
  readonly unapproved: number
  /** Answered with 200, and not run. */
  readonly unseen: number
}

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  limits: { registerPerHour: false, authorizePerHour: false, tokenPerHour: false },
})
`

const payments = `import { appendFileSync } from 'node:fs'
import { Controller } from 'acmcp'

/** Payments. */
export class Payments extends Controller {
  /**
   * Pays.
   *
   * @post /
   * @approval Pay {id}
   * @param id - which one
   */
  create(id: string): { paid: string } {
    appendFileSync('ran.log', \`\${id}\\n\`)
    return { paid: id }
  }
}
`

interface Plan {
  readonly kills: number
  /** `postgres://…`, or null for a SQLite file of its own. */
  readonly databaseUrl: string | null
}

const perKill = 10

export async function killedApprovals({ kills, databaseUrl }: Plan): Promise<ApprovalStanding> {
  const folder = await builtFolder({
    'package.json': '{"name":"payments","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': config,
    'app/controllers/payments.ts': payments,
  })
  const url = databaseUrl ?? `sqlite:${join(folder, 'store.db')}`
  const env = { PORT: String(await freePort()), DEV_LOGIN: '1', DATABASE_URL: url }
  const approvedIds: string[] = []
  const answered = new Set<string>()
  let server = await spawnServe(folder, env)
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const token = await tokenAt(server.baseUrl) // another grant: nothing of the round before waits for it
      const [approved, others] = ['a', 'u'].map((kind) => ids(kind, kill)) as [string[], string[]]
      const pay = (id: string): Promise<number> => statusOf(server.baseUrl, token, id)
      for (const id of approved) if ((await pay(id)) !== 428) throw new Error(`${id} was not asked about`)
      await approveAll(url)
      approvedIds.push(...approved)
      const calls = [...approved, ...approved, ...approved, ...others].map(async (id) => {
        if ((await pay(id).catch(() => 0)) === 200) answered.add(id)
      })
      await new Promise((resolve) => setTimeout(resolve, (kill * 7) % 60)) // somewhere on the way
      await killed(server)
      await Promise.all(calls)
      server = await spawnServe(folder, env)
      await Promise.all(
        [...approved, ...others].map((id) => pay(id).then((status) => status === 200 && answered.add(id))),
      )
    }
  } finally {
    await killed(server)
  }
  const ran = existsSync(join(folder, 'ran.log'))
    ? readFileSync(join(folder, 'ran.log'), 'utf8').trim().split('\n')
    : []
  rmSync(folder, { recursive: true, force: true })
  return standingOf({ kills, approvedIds, answered, ran })
}

const ids = (kind: string, kill: number): string[] =>
  Array.from({ length: perKill }, (_, at) => `${kind}-${kill}-${at}`)

interface Seen {
  readonly kills: number
  readonly approvedIds: readonly string[]
  readonly answered: ReadonlySet<string>
  readonly ran: readonly string[]
}

function standingOf({ kills, approvedIds, answered, ran }: Seen): ApprovalStanding {
  const times = new Map<string, number>()
  for (const id of ran) times.set(id, (times.get(id) ?? 0) + 1)
  const approved = new Set(approvedIds)
  return {
    kills,
    approved: approved.size,
    ranOnce: [...times].filter(([id, count]) => count === 1 && approved.has(id)).length,
    lost: approvedIds.filter((id) => !times.has(id)).length,
    twice: [...times].filter(([, count]) => count > 1).length,
    unapproved: [...times].filter(([id]) => !approved.has(id)).length,
    unseen: [...answered].filter((id) => !times.has(id)).length,
  }
}

async function killed({ process }: SpawnedServer): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return
  process.kill('SIGKILL')
  await once(process, 'exit')
}

async function statusOf(baseUrl: string, token: string, id: string): Promise<number> {
  const answer = await fetch(`${baseUrl}/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id }),
  })
  await answer.arrayBuffer()
  return answer.status
}

/** As the page does it, from another process. */
async function approveAll(url: string): Promise<void> {
  const store = await openStore({ url, clock: Date.now, migrations: null, migrate: 'refuse' })
  try {
    for (const { id, user, digest } of await store.listApprovals({}, 100))
      await store.decideApproval({
        ...{ id, user, digest, decision: 'approved', method: 'page', authTime: null },
        expiresAt: Date.now() + 300_000,
      })
  } finally {
    await store.close()
  }
}

async function tokenAt(baseUrl: string): Promise<string> {
  const { url, clientId, verifier } = await authorizationRequest(baseUrl)
  const callback = await allowInBrowser(new Browser(), url)
  const answer = await fetch(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code: callback.searchParams.get('code') ?? '',
      code_verifier: verifier,
    }),
  })
  const { access_token: token } = (await answer.json()) as { readonly access_token?: unknown }
  if (typeof token !== 'string') throw new Error(`no token: ${answer.status}`)
  return token
}
