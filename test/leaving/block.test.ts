/** Users who are blocked: what they have open ends at all instances, nothing of theirs works, and nothing comes back. */
import { EventEmitter, once } from 'node:events'
import t from 'tap'
import type { TestApp } from '../../runtime/testing.ts'
import { listen } from '../http/support/guarded.ts'
import { clientOf } from '../mcp/tasks/jobs.ts'
import { cookieOf, openListen, openNews, openTalk } from './open-answers.ts'
import { freshStores, hooks, instance, status } from './team.ts'

t.setTimeout(240_000)

const engines = await freshStores(t)
const ada = { id: 'dev:ada', name: 'Ada', email: 'ada@example.com' }

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
      const cookie = { cookie: await cookieOf(app, ada) }
      for (const open of [openNews, openTalk, openListen]) ended.push((await open(port, cookie)).ended)
      for (const open of [openNews, openTalk, openListen])
        void (await open(port, { authorization: `Bearer ${other}` })).ended.then(() => stays.push(open.name))
      const { said } = await clientOf(
        { application: app.application as never, beat: async () => {} },
        token,
      ).call('team_work')
      tasks.push(said.taskId)
    }
    await allBegun
    t.equal(await second.services.users.block(ada.id), true)
    await Promise.all(ended)
    await Promise.all(runs.map(async (signal) => signal.aborted || once(signal, 'abort')))
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
