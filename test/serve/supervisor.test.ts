/** The supervisor of workers, in this process: which process serves a new build, and which one waits for the next. */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import t from 'tap'
import { startSupervisor } from '../../runtime/serve/supervisor.ts'
import { folderOf } from '../cli/support/built-app.ts'
import { freePort } from '../support/free-port.ts'
import { ask, change, deploy } from './support/builds.ts'
import { main, type Test } from './support/dev-process.ts'

t.setTimeout(240_000) // a busy machine

/** A supervisor in this process, of build `a`. */
async function supervised(t: Test & { comment(text: string): void }, standby: boolean) {
  const root = folderOf(t, {})
  await deploy(root, 'a')
  const port = String(await freePort())
  Object.assign(process.env, { PORT: port, LOG_LEVEL: 'silent', DATABASE_URL: 'sqlite::memory:' }) // what workers inherit
  const args = ['serve', '--watch', '--worker']
  const supervisor = await startSupervisor({
    program: { exec: main, args, cwd: root },
    count: 1,
    standby,
    say: (_level, message) => t.comment(message),
  })
  t.teardown(() => supervisor.close())
  const answer = (path: string): Promise<string> => ask(`${supervisor.address}/api/notes/${path}`)
  return { root, supervisor, answer }
}

/** Processes that have loaded acmcp and wait, one after the other. */
const waiting: Worker[] = []
const noteWaiting = (worker: Worker, { kind }: { readonly kind?: string }): void => {
  if (kind === 'waiting') waiting.push(worker)
}
cluster.on('message', noteWaiting)
t.teardown(() => void cluster.off('message', noteWaiting))

async function nextWaiting(): Promise<Worker> {
  for (;;) {
    const worker = waiting.shift()
    if (worker !== undefined) return worker
    await once(cluster, 'message')
  }
}

t.test('with a standby', async (t) => {
  const { root, supervisor, answer } = await supervised(t, true)

  await t.test('a new build is served by a process that waited for it; another waits then', async (t) => {
    t.equal(await answer('pid'), `200 "${(await nextWaiting()).process.pid}"`)
    for (const [from, to] of [
      ['one', 'two'],
      ['two', 'three'],
    ] as const) {
      const standby = await nextWaiting()
      change(root, `"${from}"`, `"${to}"`)
      await supervisor.replace()
      t.equal(await answer('pid'), `200 "${standby.process.pid}"`)
      t.equal(await answer('first'), `200 "${to}"`, 'it had loaded nothing of the build before')
    }
    const lost = await nextWaiting()
    lost.process.kill('SIGKILL')
    await once(lost, 'exit')
    change(root, '"three"', '"four"')
    await supervisor.replace()
    t.equal(await answer('first'), '200 "four"', 'a process that was lost is not waited for')
    t.equal(await answer('pid'), `200 "${(await nextWaiting()).process.pid}"`)
  })

  await t.test('a build that does not start costs the standby, and the next one has another', async (t) => {
    await nextWaiting()
    change(root, 'config = {}', 'config = { mpc: {} }')
    await t.rejects(supervisor.replace(), { message: 'app/config.ts: config has no setting mpc' })
    t.equal(await answer('first'), '200 "four"')
    const standby = await nextWaiting()
    await deploy(root, 'b')
    await supervisor.replace()
    t.equal(await answer('pid'), `200 "${standby.process.pid}"`)
  })

  await t.test('a supervisor that is being closed starts no further worker', async (t) => {
    t.equal(await answer('first'), '200 "one"')
    const forked: Worker[] = []
    cluster.on('fork', (worker) => forked.push(worker))
    const closed = supervisor.close()
    await t.rejects(supervisor.replace(), { message: 'the supervisor is being closed' })
    await closed
    t.strictSame([forked, Object.keys(cluster.workers ?? {})], [[], []], 'and none is left')
    await t.rejects(answer('first'), { code: 'ECONNREFUSED' })
  })
})

t.test('without a standby nothing waits: a new build has a process of its own', async (t) => {
  const forked: Worker[] = []
  cluster.on('fork', (worker) => forked.push(worker))
  const { root, supervisor, answer } = await supervised(t, false)
  change(root, '"one"', '"two"')
  t.equal(forked.length, 1)
  await supervisor.replace()
  t.equal(await answer('first'), '200 "two"')
  t.equal(forked.length, 2)
})
