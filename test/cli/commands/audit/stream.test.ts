/** `acmcp audit` on a long trail, and on one that grows: the command as a process, on both engines. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { firstIdAt } from '../../../../runtime/capabilities/audit/audit-rows.ts'
import type { NewAuditRecord } from '../../../../runtime/contract/calls.ts'
import { temporaryFolder } from '../../../flow/support.ts'
import { postgresOrNotice } from '../../../store/postgres-server.ts'
import { openStore, type WholeStore } from '../../../support/whole-store.ts'

const began = Date.parse('2026-11-01T10:00:00Z')

const idAt = (ms: number, tail: number): string => `${firstIdAt(ms)}70008${String(tail).padStart(15, '0')}`

type Command = ChildProcessByStdio<null, Readable, Readable>

function acmcp(url: string, words: readonly string[], nodeFlags: readonly string[] = []): Command {
  return spawn(
    process.execPath,
    [...nodeFlags, join(process.cwd(), 'dist/cli/main.js'), 'audit', '--json', ...words],
    {
      cwd: temporaryFolder(),
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: url,
        SESSION_SECRET: 'a secret of 32 characters and more',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
}

t.setTimeout(220_000) // on a busy machine

const many = 40_000
const atOnce = 20_000
const batchRows = 200

/** A row every 10 ms: every twentieth of one user, every tenth a sign-in. The first half as the version before wrote them. */
async function fill(store: WholeStore): Promise<void> {
  await fillFrom(store, 0)
  for (let first = atOnce; first < many; first += batchRows)
    await store.appendAudit(Array.from({ length: batchRows }, (_, index) => recordAt(first + index)))
}

function recordAt(i: number): NewAuditRecord {
  const at = began + i * 10
  const who = { user: i % 20 === 0 ? 'dev:ada' : 'dev:ben', client: `c${i % 7}`, grant: `g${i % 50}` }
  const call = {
    tool: 'notes_list',
    route: 'notes_list',
    decision: 'allowed',
    status: 200,
    isError: false,
  } as const
  const texts = {
    requestId: `a request with a name that is ${i}`,
    argumentsDigest: `a digest that has so many characters ${i}`,
  }
  const event = i % 10 === 3 ? 'sign-in' : 'tool-call'
  return {
    id: `${firstIdAt(at)}70008000000000000000`,
    at,
    entry: { event, ...who, ...call, milliseconds: 1.5, ...texts },
  }
}

async function fillFrom(store: WholeStore, first: number): Promise<void> {
  const [from, end, start] = [first, first + atOnce, began].map((number) => sql.raw(String(number)))
  const numbers = store.isShared
    ? sql`select i from generate_series(${from}, ${end} - 1) as n (i)`
    : sql`with recursive n (i) as (select ${from} union all select i + 1 from n where i < ${end} - 1) select i from n`
  const hex = store.isShared
    ? sql`lpad(to_hex(${start} + i * 10), 12, '0')`
    : sql`printf('%012x', ${start} + i * 10)`
  await sql`insert into acmcp_audit (id, at, event, user_id, client_id, grant_id, tool, route, decision, status, is_error,
      duration_ms, request_id, arguments_digest)
    select ${hex} || '70008000000000000000', ${start} + i * 10,
      case when i % 10 = 3 then 'sign-in' else 'tool-call' end,
      case when i % 20 = 0 then 'dev:ada' else 'dev:ben' end, 'c' || (i % 7), 'g' || (i % 50), 'notes_list', 'notes_list',
      'allowed', 200, 0, 1.5, 'a request with a name that is ' || i, 'a digest that has so many characters ' || i
    from (${numbers}) as numbers`.execute(store.database)
}

/** Of each row its number, and how the process ended. */
async function numbersOf(command: Command): Promise<readonly [readonly number[], readonly unknown[]]> {
  const err: string[] = []
  command.stderr.on('data', (text: Buffer) => void err.push(text.toString()))
  const exit = once(command, 'exit')
  const numbers: number[] = []
  for await (const line of createInterface({ input: command.stdout }))
    numbers.push((Date.parse(JSON.parse(line).at) - began) / 10)
  const [code] = await exit
  return [numbers, [code, err.join('').slice(0, 500)]]
}

const upTo = (end: number, fits: (number: number) => boolean): readonly number[] =>
  Array.from({ length: end }, (_, number) => number).filter(fits)

async function longTrail(t: Test, url: string): Promise<void> {
  const store = await openStore({ url, clock: () => began, migrations: {}, migrate: 'apply' })
  await fill(store).finally(() => store.close())
  const small = ['--max-old-space-size=32']
  const requested: readonly (readonly [readonly string[], readonly number[]])[] = [
    [['--limit', '1000000'], upTo(many, () => true)],
    [['--limit', '1000000', '--user', 'dev:ada'], upTo(many, (n) => n % 20 === 0)],
    [['--limit', '9000', '--event', 'sign-in'], upTo(many, (n) => n % 10 === 3).slice(-9000)],
    [
      ['--limit', '1000000', '--since', new Date(began + 360_000).toISOString(), '--client', 'c3'],
      upTo(many, (n) => n >= 36_000 && n % 7 === 3),
    ],
  ]
  const answers = await Promise.all(requested.map(([words]) => numbersOf(acmcp(url, words, small))))
  for (const [index, [words, expected]] of requested.entries()) {
    const [numbers, end] = answers[index] ?? [[], []]
    t.strictSame(end, [0, ''], words.join(' '))
    t.equal(numbers.length, expected.length)
    t.ok(
      numbers.every((number, at) => number === expected[at]),
      'each once, the oldest first',
    )
  }
}

/** The next of a process's lines. */
async function* linesOf(command: Command): AsyncGenerator<{ readonly tool: string }> {
  for await (const line of createInterface({ input: command.stdout })) yield JSON.parse(line)
}

async function growing(t: Test, url: string): Promise<void> {
  const store = await openStore({ url, clock: () => Date.now(), migrations: {}, migrate: 'apply' })
  t.teardown(() => store.close())
  let tail = 0
  const add = (tool: string, agoMs = 0, user = 'dev:ada'): Promise<void> => {
    tail += 1
    const at = Date.now() - agoMs
    return store.appendAudit([{ id: idAt(at, tail), at, entry: { event: 'tool-call', user, tool } }])
  }
  for (const [tool, agoMs] of [
    ['left out', 2500],
    ['second', 2000],
    ['third', 1500],
  ] as const)
    await add(tool, agoMs)
  const command = acmcp(url, ['--limit', '2', '--follow', '--user', 'dev:ada'])
  const lines = linesOf(command)
  const next = async (): Promise<string | undefined> => (await lines.next()).value?.tool
  t.strictSame([await next(), await next()], ['second', 'third'])
  await add('another user', 0, 'dev:ben')
  await add('now')
  t.equal(await next(), 'now')
  await add('written late', 1000)
  t.equal(await next(), 'written late', 'a row that is older than one that was seen')
  const exit = once(command, 'exit')
  command.kill('SIGTERM')
  t.strictSame([await next(), await exit], [undefined, [0, null]], 'ends in order')

  const left = acmcp(url, ['--limit', '1', '--follow'])
  const leftExit = once(left, 'exit')
  await once(left.stdout, 'data')
  left.stdout.destroy()
  await add('to nobody')
  t.strictSame(await leftExit, [0, null], 'ends when who read has left')
}

const long = '40,000 rows in a heap of 32 MB: each once, the oldest first'
const following = '--follow goes on with what is written, until a signal or nobody reads'

t.test(`SQLite, ${long}`, (t) => longTrail(t, `sqlite:${join(temporaryFolder(), 'audit.db')}`))
t.test(`SQLite, ${following}`, (t) => growing(t, `sqlite:${join(temporaryFolder(), 'audit.db')}`))

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.test(`PostgreSQL, ${long}`, async (t) => longTrail(t, await server.freshDatabase()))
  t.test(`PostgreSQL, ${following}`, async (t) => growing(t, await server.freshDatabase()))
  t.teardown(() => server.stop())
}
