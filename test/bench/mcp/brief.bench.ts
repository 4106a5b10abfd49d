/** `npm run bench:brief`: the bytes of the largest answers of the help desk's tools, whole and in brief; exit code 1 where brief is no
 *  less. Whole is what `fields` with all names gives, which is what the tool answers without `@mcp brief`. */
import { join } from 'node:path'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { databaseOf } from '../../../runtime/store/database.ts'
import { openTestApp, type TestClient } from '../../../runtime/testing.ts'
import { built } from '../../cli/support/built-app.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { writeDesk } from '../../support/desk.ts'

const opened = Date.parse('2026-03-02T09:00:00Z')
const [tickets, comments, customers] = [60, 30, 40]
const paragraph =
  'We were charged twice for the same invoice, and nobody has told us when the money comes back. '

const folder = temporaryFolder()
process.env.DESK_FILES = join(folder, 'files') // before it is loaded
writeDesk(folder)
const { status, stderr } = await built(folder)
if (status !== 0) throw new Error(stderr)
const { catalogue } = await loadBundle(folder)
const app = await openTestApp({
  cwd: folder,
  clock: () => opened,
  environment: { databaseUrl: `sqlite:${folder}/bench.db` },
})
const people = [
  { id: 'dev:ben', name: 'Ben', email: null, role: 'agent' },
  { id: 'dev:root', name: 'Root', email: null, role: 'admin' },
]
await (databaseOf(app.services) as unknown as Inserting) // of the desk's own tables
  .insertInto('users')
  .values(people.map((person) => ({ ...person, created_at: opened })))
  .execute()
const clientOf = async (id: string, scope: string): Promise<TestClient> =>
  app.client().withBearer(await app.accessToken({ id, name: id, email: null }, { scope }))
const ben = await clientOf('dev:ben', 'api')
const root = await clientOf('dev:root', 'api desk:admin')
await fill()

interface Inserting {
  insertInto(table: string): { values(rows: readonly object[]): { execute(): Promise<unknown> } }
}

/** What it is answered with. Throws where that is a refusal. */
async function sent(
  client: TestClient,
  url: string,
  value: object,
  method: 'POST' | 'PUT' = 'POST',
): Promise<{ readonly id: string; readonly number: number }> {
  const answer = await client.json(url, value, method)
  if (answer.statusCode >= 400) throw new Error(`${url}: ${answer.statusCode} ${answer.body}`)
  return answer.json()
}

async function fill(): Promise<void> {
  const hours = ['mon', 'tue', 'wed', 'thu', 'fri'].map((day) => ({ day, opens: '09:00', closes: '17:00' }))
  for (const name of ['Billing', 'Shipping', 'Returns', 'Sales']) {
    const slug = name.toLowerCase()
    await sent(root, `/api/teams/${slug}`, { name, schedule: { timeZone: 'Europe/Berlin', hours } }, 'PUT')
    await sent(root, `/api/teams/${slug}/members/dev:ben`, {}, 'PUT')
  }
  const ids: string[] = []
  for (let at = 0; at < customers; at += 1) {
    const customer = { name: `Customer ${at}`, email: `c${at}@example.org`, organisation: 'Example Works' }
    ids.push((await sent(ben, '/api/customers', customer)).id)
  }
  for (let at = 0; at < tickets; at += 1) {
    const ticket = {
      subject: `Invoice ${at} is wrong`,
      body: paragraph.repeat(1 + (at % 8)),
      tags: ['billing', 'refund'],
      customer: ids[at % ids.length],
    }
    const { number } = await sent(ben, '/api/tickets', ticket)
    await sent(ben, `/api/tickets/${number}/assignment`, { assignee: 'dev:ben', team: 'billing' }, 'PUT')
  }
  for (let at = 0; at < comments; at += 1)
    await sent(ben, '/api/tickets/1/comments', { text: paragraph.repeat(1 + (at % 3)) })
  for (let at = 0; at < 12; at += 1) {
    const file = { filename: `note-${at}.txt`, content: `note ${at}`, contentType: 'text/plain' }
    await ben.upload('/api/tickets/1/attachments', { files: file })
  }
}

type Call = readonly [name: string, args?: Readonly<Record<string, unknown>>]
const span = { from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z' }
const calls: readonly Call[] = [
  ['teams_queue', { slug: 'billing' }],
  ['tickets_index', { 'per-page': 50 }],
  ['tickets_index'],
  ['comments_index', { number: 1 }],
  ['customers_index', { 'per-page': 40 }],
  ['attachments_index', { number: 1 }],
  ['teams_index'],
  ['tickets_history', { number: 1 }],
  ['reports_tickets', {}],
  ['tickets_transcript', { number: 1 }],
  ['tickets_show', { number: 8 }],
  ['reports_workload', {}],
  ['reports_summary', span],
  ['users_current'],
]

interface Measured {
  readonly call: string
  readonly whole: number
  readonly brief: number | null
}

const briefTools = new Map(
  catalogue.tools.flatMap(({ name, brief }) => (brief === undefined ? [] : [[name, brief.more] as const])),
)

async function measured([name, args = {}]: Call): Promise<Measured> {
  const bytesOf = async (all: object): Promise<number> => {
    const { content, isError } = await ben.tool(name, { ...args, ...all })
    if (isError === true) throw new Error(content[0]?.text)
    return content.reduce((total, { text = '' }) => total + Buffer.byteLength(text), 0)
  }
  const more = briefTools.get(name)
  const whole = await bytesOf(more === undefined ? {} : { fields: more })
  return {
    call: `${name} ${JSON.stringify(args)}`,
    whole,
    brief: more === undefined ? null : await bytesOf({}),
  }
}

const all: Measured[] = []
for (const call of calls) all.push(await measured(call))
await app.close()
const largest = all.sort((a, b) => b.whole - a.whole).slice(0, 10)
for (const { call, whole, brief } of largest) {
  const less = brief === null ? 'no brief' : `${brief} (-${Math.round(100 - (100 * brief) / whole)} %)`
  console.log(`${call.padEnd(48)} ${String(whole).padStart(7)} ${less}`)
}
if (largest.some(({ whole, brief }) => brief !== null && brief >= whole)) process.exitCode = 1
