/** Every process of a supervisor ends when that is told to, or is killed, whatever its event loop does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import t from 'tap'
import { copiesOfBuilt } from '../cli/support/built-app.ts'
import { freePort } from '../support/free-port.ts'
import { main, type Test } from './support/dev-process.ts'

t.setTimeout(240_000) // a busy machine
t.jobs = 4 // they wait

const copy: ReturnType<typeof copiesOfBuilt> = copiesOfBuilt({
  'app/controllers/busy.ts': `import { Controller } from 'acmcp'

/** Keeps the event loop. @base /api */
export class Busy extends Controller {
  /**
   * Says so, and stands still for ever: other tests need the processor.
   *
   * @post /busy
   */
  busy(): void {
    process.stdout.write('it is busy\\n')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }
}
`,
})

/** The command, in a folder. Its output ends with the last of its processes. */
async function started(t: Test, command: string, root: string) {
  const port = String(await freePort())
  const child = spawn(process.execPath, [main, ...command.split(' ')], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', PORT: port, LOG_LEVEL: 'silent', DATABASE_URL: 'sqlite:busy.db' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await gone
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const until = async (text: string): Promise<void> => {
    for (;;) {
      const { done = false, value = '' } = await lines.next()
      if (value.includes(text)) return
      if (done) throw new Error(`it ended without saying ${text}`)
    }
  }
  await until('MCP endpoint')
  const stand = async (): Promise<void> => {
    void fetch(`http://127.0.0.1:${port}/api/busy`, { method: 'POST' }).catch(() => {}) // it never answers
    await until('it is busy')
  }
  return { child, gone, stand }
}

const commands = ['serve --workers 1', 'serve --watch', 'dev'] as const

for (const command of commands) {
  t.test(
    `${command}: while an event loop stands still, SIGTERM ends all, and a second signal at once`,
    async (t) => {
      const open = async () => started(t, command, await copy(t))
      const [patient, hasty] = await Promise.all([open(), open()])
      await Promise.all([patient.stand(), hasty.stand()])
      const ends: string[] = []
      void patient.gone.then(() => ends.push('one signal'))
      void hasty.gone.then(() => ends.push('two signals'))
      patient.child.kill('SIGTERM')
      hasty.child.kill('SIGTERM')
      hasty.child.kill('SIGINT')
      t.strictSame(
        [await patient.gone, await hasty.gone],
        [
          [1, null],
          [1, null],
        ],
      )
      t.strictSame(ends, ['two signals', 'one signal'], 'which waits for what is open')
    },
  )
}
