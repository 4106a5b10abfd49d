/** What a server does whose output nobody reads: it serves on in bounded memory, says later what was lost, and ends when it is told to. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { copiesOfBuilt } from '../cli/support/built-app.ts'
import { freePort } from '../support/free-port.ts'
import { ask, askUntil } from './support/dev-process.ts'

t.setTimeout(120_000) // a busy machine

const linesACall = 2_000
const bytesALine = 1_000

const copy: ReturnType<typeof copiesOfBuilt> = copiesOfBuilt({
  'app/controllers/chatter.ts': `import { Controller } from 'acmcp'

/** Talks. @base /chatter */
export class Chatter extends Controller {
  /**
   * Answers.
   *
   * @get /
   */
  answers(): string {
    return 'answered'
  }

  /**
   * Writes lines to standard output.
   *
   * @post /out
   * @mcp hide
   */
  out(): string {
    for (let n = 0; n < ${linesACall}; n += 1) console.log('x'.repeat(${bytesALine - 1}))
    return 'written'
  }

  /**
   * Writes lines to standard error.
   *
   * @post /error
   * @mcp hide
   */
  error(): string {
    for (let n = 0; n < ${linesACall}; n += 1) console.error('x'.repeat(${bytesALine - 1}))
    return 'written'
  }
}
`,
})

interface Served {
  readonly baseUrl: string
  readonly process: ChildProcessWithoutNullStreams
  /** Resolves with exit code and signal. */
  readonly exited: Promise<readonly unknown[]>
}

/** Serves; both outputs are pipes, which nobody reads any more. */
async function unread(t: Test, command: readonly string[]): Promise<Served> {
  const port = String(await freePort())
  const child = spawn(process.execPath, [join(process.cwd(), 'dist/cli/main.js'), ...command], {
    cwd: await copy(t),
    env: {
      PATH: process.env.PATH ?? '',
      PORT: port,
      LOG_LEVEL: 'info',
      DATABASE_URL: 'sqlite::memory:',
    },
  })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const baseUrl = `http://localhost:${port}`
  for (const output of [child.stdout, child.stderr]) output.on('data', () => {})
  await once(child.stdout, 'data')
  await askUntil(`${baseUrl}/chatter`, '"answered"').catch(() => askUntil(`${baseUrl}/chatter`, '"answered"'))
  for (const output of [child.stdout, child.stderr]) output.removeAllListeners('data').pause()
  return { baseUrl, process: child, exited }
}

const write = async ({ baseUrl }: Served, output: 'out' | 'error'): Promise<void> => {
  const answer = await fetch(`${baseUrl}/chatter/${output}`, { method: 'POST' })
  if (answer.status !== 200) throw new Error(await answer.text())
}

/** Reads again; resolves with the lines before the one that says how many are lost, and that number. */
async function readOn(output: Readable): Promise<{ readonly read: number; readonly lost: number }> {
  const lines = createInterface({ input: output })
  let read = 0
  for await (const line of lines) {
    const lost = /(\d+) lines are lost: nobody read standard (?:output|error) for a while/.exec(line)
    if (lost !== null) return { read, lost: Number(lost[1]) }
    read += Number(line.startsWith('xxx'))
  }
  throw new Error('it ended without a word')
}

const calls = 4
/** What waits in memory, in the pipe and in the test's own buffer. */
const maxLines = (4 * 1024 * 1024 + 512 * 1024) / bytesALine

t.test(
  'what nobody reads waits in bounded memory, and whoever comes back is told what is lost',
  async (t) => {
    const server = await unread(t, ['serve'])
    for (const output of ['out', 'error'] as const) {
      for (let call = 0; call < calls; call += 1) await write(server, output)
      t.strictSame((await ask(`${server.baseUrl}/chatter`)).at(-1), '"answered"', 'it serves on')
      const stream = output === 'out' ? server.process.stdout : server.process.stderr
      const { read, lost } = await readOn(stream)
      const answered = output === 'out' ? calls + 1 : 0 // lines of the log
      t.ok(
        read + lost >= calls * linesACall && read + lost <= calls * linesACall + answered,
        `${read} + ${lost}`,
      )
      t.ok(read > 4_000 && read < maxLines, `${read} lines had waited`)
      stream.pause()
    }
    await t.test('SIGTERM ends acmcp serve although nobody reads its output', (t) => endsUnread(t, server))
  },
)

async function endsUnread(t: Test, server: Served): Promise<void> {
  for (const output of ['out', 'error'] as const)
    for (let call = 0; call < 3; call += 1) await write(server, output)
  server.process.kill('SIGTERM')
  t.strictSame(await server.exited, [0, null])
}

for (const command of [['serve', '--workers', '1'], ['serve', '--watch'], ['dev']] as const)
  t.test(`SIGTERM ends acmcp ${command.join(' ')} although nobody reads its output`, async (t) =>
    endsUnread(t, await unread(t, command)),
  )
