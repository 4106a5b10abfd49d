/** An event loop that stands still: a thread says what runs, and a worker is replaced while the others serve. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as after } from 'node:timers/promises'
import t from 'tap'
import { askHealth } from '../../runtime/serve/health.ts'
import { copiesOfBuilt } from '../cli/support/built-app.ts'
import { freePort } from '../support/free-port.ts'
import { ask, paceMs } from './support/dev-process.ts'
import { startInstance } from './support/instance.ts'
import { connectionToEach } from './workers/support/desk-app.ts'

t.setTimeout(120_000) // a busy machine
t.jobs = 5 // they wait

const copy: ReturnType<typeof copiesOfBuilt> = copiesOfBuilt({
  'app/controllers/spins.ts': `import { Controller } from 'acmcp'
import { setTimeout as after } from 'node:timers/promises'

/** Spins. @base /api */
export class Spins extends Controller {
  /**
   * Tells which process answers.
   *
   * @get /pid
   */
  pid(): number {
    return process.pid
  }

  /**
   * Computes for ever, in a function that it waits for.
   *
   * @post /spin
   */
  async spin(): Promise<string> {
    await turnForEver()
    return 'never'
  }

  /**
   * Computes for ever as soon as the server ends.
   *
   * @post /late
   */
  async late(): Promise<string> {
    const { signal } = this.request
    console.log(JSON.stringify({ msg: 'late' }))
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await turnForEver()
    return 'never'
  }

  /**
   * Computes for a while.
   *
   * @post /lasts
   */
  lasts(): string {
    const until = performance.now() + 1500
    while (performance.now() < until) turn()
    return 'done'
  }
}

async function turnForEver(): Promise<void> {
  await after(1)
  for (;;) turn()
}

const cell = new Int32Array(new SharedArrayBuffer(4))

/** Keeps the event loop for a moment, but not the processor, which other tests need. */
function turn(): void {
  Atomics.wait(cell, 0, 0, 5)
}
`,
  'app/config.ts': `import { defineApp } from 'acmcp'

export const config = defineApp({ limits: { stallSeconds: 0.7 } })
`,
})

type Test = Parameters<typeof copy>[0] & { teardown(clean: () => Promise<void>): void }

const spinning = 'POST /api/spin (spins_spin)'

interface Line {
  readonly level: number
  readonly msg: string
  readonly ran?: string
  readonly pid?: number
  readonly err?: { readonly stack: string }
}

/** `acmcp serve` alone. */
async function alone(t: Test, ...nodeFlags: readonly string[]) {
  const port = String(await freePort())
  const main = join(process.cwd(), 'dist/cli/main.js')
  const child = spawn(process.execPath, [...nodeFlags, main, 'serve'], {
    cwd: await copy(t),
    env: {
      PATH: process.env.PATH ?? '',
      PORT: port,
      LOG_LEVEL: 'warn',
      DATABASE_URL: 'sqlite::memory:',
      METRICS_TOKEN: token,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const lines: Line[] = []
  let wake = (): void => {}
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line))
    wake()
  })
  const until = async (text: string): Promise<Line> => {
    for (;;) {
      const found = lines.find(({ msg }) => msg.includes(text))
      if (found !== undefined) return found
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  await until('MCP endpoint')
  return { process: child, exited, until, port, baseUrl: `http://127.0.0.1:${port}`, lines }
}

const token = 'Hq3x-7RmT9vKz_2pLw5YcB8nJd4GsEfA'

const spin = (baseUrl: string): void => void fetch(`${baseUrl}/api/spin`, { method: 'POST' }).catch(() => {}) // it never answers

t.test('what runs is logged from a thread, health says it, and SIGTERM ends the process', async (t) => {
  const server = await alone(t)
  spin(server.baseUrl)
  const { level, ran, err } = await server.until('the event loop stands still')
  t.strictSame([level, ran], [50, spinning])
  t.match(
    err?.stack,
    /^ +at (?:Atomics\.wait .*\n +at )?(?:turn|turnForEver) \(.*spins\.ts:\d+:\d+\)[\s\S]*at async Spins\.spin \(.*spins\.ts:21:5\)/,
  )
  const [requested] = await askHealth({ env: { PORT: server.port }, url: null, store: false })
  t.match(requested?.wrong, 'no answer within 5 s, though it takes connections: its event loop stands still?')
  await server.until('SIGTERM ends it at once')
  server.process.kill('SIGTERM')
  t.strictSame(await server.exited, [null, 'SIGTERM'])
})

t.test('a loop that turns again is told and counted', async (t) => {
  const server = await alone(t)
  const answer = await fetch(`${server.baseUrl}/api/lasts`, { method: 'POST' })
  t.equal(await answer.text(), '"done"')
  t.equal((await server.until('the event loop stands still')).ran, 'POST /api/lasts (spins_lasts)')
  t.equal((await server.until('turns again')).level, 40)
  const metrics = await fetch(`${server.baseUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  t.match(await metrics.text(), /^acmcp_event_loop_stalls 1$/m)
})

t.test('a process that was told to end, and whose loop then stands still, ends in time', async (t) => {
  const server = await alone(t)
  const cut = t.rejects(fetch(`${server.baseUrl}/api/late`, { method: 'POST' }))
  await server.until('late')
  server.process.kill('SIGTERM')
  t.strictSame(await server.exited, [null, 'SIGKILL'])
  await cut
})

t.test('whoever debugs it is left in peace', async (t) => {
  const server = await alone(t, '--inspect=127.0.0.1:0')
  const answer = await fetch(`${server.baseUrl}/api/lasts`, { method: 'POST' })
  t.equal(await answer.text(), '"done"')
  t.strictSame((await ask(`${server.baseUrl}/api/pid`)).at(-1), String(server.process.pid))
  t.strictSame(
    server.lines.filter(({ msg }) => msg.includes('event loop')),
    [],
  )
})

/** Asks again and again until told to stop; the answers, each once. */
function asking(once: () => Promise<unknown>): () => Promise<readonly unknown[]> {
  const seen = new Set<unknown>()
  let isOver = false
  const work = (async () => {
    while (!isOver) {
      seen.add(await once().catch(String))
      await after(paceMs)
    }
  })()
  return async () => {
    isOver = true
    await work
    return [...seen]
  }
}

async function workers(t: Test) {
  const root = await copy(t)
  const env = {
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    DATABASE_URL: `sqlite:${join(root, 'spins.db')}`,
    METRICS_TOKEN: token,
  }
  const instance = await startInstance({ cwd: root, port: await freePort(), workers: 2, env })
  t.teardown(async () => {
    instance.process.kill('SIGKILL')
    await instance.gone
  })
  const [item, other] = await connectionToEach(t, instance, 2)
  if (item === undefined || other === undefined) throw new Error('there are two workers')
  const metrics = async (): Promise<string> =>
    (await other.ask('/metrics', null, { authorization: `Bearer ${token}` })).body
  const health = async (store: boolean): Promise<unknown> => {
    const url = new URL(instance.baseUrl.replace('localhost', '127.0.0.1'))
    return (await askHealth({ env: {}, url, store })).map(({ wrong }) => wrong)
  }
  return { instance, one: item, other, metrics, health }
}

t.test('a worker that stands still is replaced, and the others serve all along', async (t) => {
  const { instance, one: connection, other, metrics } = await workers(t)
  const otherPid = await other.pid()
  const stop = asking(() => other.pid())
  const cut = t.rejects(connection.ask('/api/spin', {}), { code: 'ECONNRESET' })
  await instance.until('the event loop stands still')
  const stopNew = asking(() => ask(`${instance.baseUrl}/api/pid`).then(([status]) => status))
  await instance.until('this worker is replaced')
  t.equal(
    await instance.until('started again'),
    'acmcp: the application ended (its event loop stood still): it is started again',
  )
  await instance.until('acmcp serves again')
  await cut
  t.strictSame([await stop(), await stopNew()], [[otherPid], [200]])
  t.match(await metrics(), /^acmcp_workers_replaced_total 1$/m)
  t.strictSame(await instance.stop(), [0, null])
})

t.test(
  'health tells of a worker that does not answer though another does; one that was suspended is not replaced',
  async (t) => {
    const { instance, one: connection, metrics, health } = await workers(t)
    t.strictSame([await health(false), await health(true)], [[null], [null]])
    const pid = await connection.pid()
    process.kill(pid, 'SIGSTOP')
    const silent = '1 of 2 workers does not answer'
    t.strictSame(await health(false), [silent], 'it takes longer than the watchdog would wait')
    t.strictSame(await health(true), [silent])
    process.kill(pid, 'SIGCONT')
    t.equal(await connection.pid(), pid)
    t.strictSame(await health(false), [null])
    const text = await metrics()
    t.notMatch(text, /^acmcp_workers_replaced/m)
    t.notMatch(text, /^acmcp_event_loop_stalls\S* [^0]/m)
    t.strictSame(
      instance.said.filter((line) => line.includes('event loop')),
      [],
    )
    t.strictSame(await instance.stop(), [0, null])
  },
)
