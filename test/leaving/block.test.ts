/** Users who are blocked: what they have open ends at all instances, nothing of theirs works, and nothing comes back. */
import { EventEmitter, once } from 'node:events'
import t from 'tap'
import type { TestApp } from '../../runtime/testing.ts'
import { dialSocket, listen } from '../http/support/guarded.ts'
import { clientOf } from '../mcp/tasks/jobs.ts'
import { freshStores, hooks, instance, status } from './team.ts'

t.setTimeout(240_000)

const engines = await freshStores(t)
const ada = { id: 'dev:ada', name: 'Ada', email: 'ada@example.com' }

interface Open {
  readonly ended: Promise<unknown>
}

/** A stream of a route, which ends when the server says so. */
async function openNews(port: number, headers: Record<string, string>): Promise<Open> {
  const { status: code, body } = await fetch(`http://127.0.0.1:${port}/team/news`, { headers })
  if (code !== 200 || body === null) throw new Error(`the stream was answered with ${code}`)
  const reader = body.getReader()
  await reader.read()
  const drained = async (): Promise<void> => {
    while (!(await reader.read()).done);
  }
  return { ended: drained().catch(() => {}) }
}

async function openTalk(port: number, headers: Record<string, string>): Promise<Open> {
  const { seen, socket } = await dialSocket(port, '/team/talk', headers)
  if (seen[0] !== 101) throw new Error(`the socket was answered with ${seen[0]}`)
  return { ended: once(socket, 'close') }
}

/** The GET stream of the endpoint. */
async function openListen(port: number, headers: Record<string, string>): Promise<Open> {
  const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
    headers: { ...headers, accept: 'text/event-stream', 'mcp-protocol-version': '2025-11-25' },
  })
  if (answer.status !== 200 || answer.body === null)
    throw new Error(`the stream was answered with ${answer.status}`)
  return { ended: new Response(answer.body).text() }
}

async function cookieOf(app: TestApp): Promise<string> {
  const browser = app.client()
  await browser.signIn(ada)
  return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

for (const [engine, fresh] of Object.entries(engines)) {
  t.test(`${engine}, block: everything of the user ends at both instances, and of nobody else`, async (t) => {
    const url = await fresh()
    const apps = [await instance(t, url), await instance(t, url)]
    const [first, second] = apps as [TestApp, TestApp]
    const token = await first.accessToken(ada)
    const other = await first.accessToken({ id: 'dev:ben', name: 'Ben', email: null })
    const ended: Promise<unknown>[] = []
    const stays: string[] = []
    const runs: AbortSignal[] = []
    const begun = new EventEmitter()
    const allBegun = once(begun, 'all')
    hooks.working = (signal) => {
      runs.push(signal)
      if (runs.length === 2) begun.emit('all')
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('stopped'))),
      )
    }
    const tasks: string[] = []
    for (const app of apps) {
      const port = await listen(app)
      const bearer = { authorization: `Bearer ${token}` }
      for (const open of [openNews, openTalk, openListen]) ended.push((await open(port, bearer)).ended)
      const cookie = { cookie: await cookieOf(app) }
      for (const open of [openNews, openTalk]) ended.push((await open(port, cookie)).ended)
      for (const open of [openNews, openTalk, openListen])
        void (await open(port, { authorization: `Bearer ${other}` })).ended.then(() => stays.push(open.name))
      const { said } = await clientOf(
        { application: app.application as never, beat: async () => {} },
        token,
      ).call('team_work')
      tasks.push(said.taskId)
    }
    await allBegun
    const began = performance.now()
    t.equal(await second.services.users.block(ada.id), true)
    await Promise.all(ended)
    await Promise.all(runs.map(async (signal) => signal.aborted || once(signal, 'abort')))
    t.ok(performance.now() - began < 1000, 'within a second')
    for (const app of apps) {
      t.equal(await status(app.client().withBearer(token)), 401)
      t.equal(await status(app.client().withBearer(other)), 200)
      const { status: code } = await clientOf(
        { application: app.application as never, beat: async () => {} },
        token,
      ).get(tasks[0] ?? '')
      t.equal(code, 401)
    }
    t.strictSame(stays, [], 'those of others stay open')
  })
}
