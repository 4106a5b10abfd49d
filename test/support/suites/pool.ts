/** Runs suites in a few processes, each of which takes one suite after the other (`worker.ts`). */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { SuiteOrder, WorkerIsFree } from './worker.ts'

export interface PoolOptions {
  /** How many processes run at once. */
  readonly jobs: number
  readonly timeoutSeconds: number
  /** The environment of the process of this number, which takes suites of this queue. */
  readonly env: (worker: number, queue: Queue) => NodeJS.ProcessEnv
  readonly onStart: (suite: string) => void
  /** A line of a suite's TAP, as if it ran alone. */
  readonly onLine: (suite: string, line: string) => void
  readonly onEnd: (suite: string, end: SuiteEnd) => void
  readonly onWorkerEnd?: (worker: number) => void
}

/** `died`: its process ended before it, with this signal or exit code. */
export type SuiteEnd = 'passed' | 'failed' | { readonly died: string }

/** Suites that one process may run one after the other. */
export type Queue = readonly string[]

/** As `acmcp build` has it: a suite lives for seconds, and V8 spends a fifth of them on optimised code that hardly runs. */
const flags = process.versions.v8.startsWith('11.') // Node 20: later ones have other flags
  ? ['--interrupt-budget=264000', '--max-inlined-bytecode-size-cumulative=300']
  : []

/** A process that holds more takes no further suite: modules that tests have built and imported stay in it. */
const maxResidentBytes = 1.5e9

/** Resolves when every suite has ended and every process is gone. A process takes the suites of one queue; the first queues come first,
 *  and several processes take from one when no other is left. */
export async function runSuites(queues: readonly Queue[], options: PoolOptions): Promise<void> {
  const left = queues.map((queue) => ({ suites: [...queue], takers: 0 }))
  let workers = 0
  const work = async (): Promise<void> => {
    for (;;) {
      const open = left.filter(({ suites }) => suites.length > 0)
      const queue = open.sort((a, b) => a.takers - b.takers)[0]
      if (queue === undefined) return
      workers += 1
      queue.takers += 1
      await runWorker(queue.suites, workers, options)
      queue.takers -= 1
    }
  }
  await Promise.all(Array.from({ length: options.jobs }, work))
}

/** Takes suites until there is none, one has failed, or the process is too large. */
async function runWorker(suites: string[], number: number, options: PoolOptions): Promise<void> {
  const worker = startWorker(options.env(number, suites))
  let free = await worker.free()
  while (free !== null && free.residentBytes < maxResidentBytes) {
    const suite = suites.shift()
    if (suite === undefined) break
    options.onStart(suite)
    const nextFree = worker.free()
    const end = await runSuite(worker, suite, options)
    options.onEnd(suite, end)
    free = end === 'passed' ? await nextFree : null
  }
  if (worker.child.connected) worker.child.send('end')
  await worker.closed
  options.onWorkerEnd?.(number)
}

interface Worker {
  readonly child: ChildProcess
  readonly lines: Interface
  /** With the signal or the exit code. */
  readonly closed: Promise<string>
  /** Resolves when it waits for a suite; with null when it has ended. */
  readonly free: () => Promise<WorkerIsFree | null>
}

function startWorker(env: NodeJS.ProcessEnv): Worker {
  const script = join(import.meta.dirname, 'worker.js')
  const unset = ['NODE_OPTIONS', ...Object.keys(process.env).filter((name) => name.startsWith('_TAPJS_'))]
  // `tap` has wrapped `spawn`, and gives every process that a process starts its loaders, its record of each and a listener for each
  // signal, which then no longer ends it. `env` takes them away again.
  const child = spawn(
    'env',
    [
      ...unset.flatMap((name) => ['-u', name]),
      ...[process.execPath, ...flags, '--enable-source-maps', script],
    ],
    {
      env: { ...env, TAP_TIMEOUT: '0' }, // of the process; each suite has its own
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  if (child.stdout === null) throw new Error('a pipe was asked for')
  const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })
  const closed = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(String(signal ?? code)))
  })
  const free = (): Promise<WorkerIsFree | null> =>
    new Promise((resolve) => {
      child.on('message', function hear(message: WorkerIsFree | object) {
        if (!('residentBytes' in message)) return // of `tap`
        child.off('message', hear)
        resolve(message)
      })
      void closed.then(() => resolve(null))
    })
  return { child, lines, closed, free }
}

/** Its TAP is that of a subtest. */
async function runSuite(worker: Worker, suite: string, options: PoolOptions): Promise<SuiteEnd> {
  const { child, lines, closed } = worker
  let isInside = false
  const ended = new Promise<SuiteEnd>((resolve) => {
    lines.on('line', (line) => {
      if (line.startsWith('# Subtest: ')) isInside = true
      else if (isInside && /^(not )?ok /.test(line)) resolve(line.startsWith('ok') ? 'passed' : 'failed')
      else if (isInside) options.onLine(suite, line.replace(/^ {4}/, ''))
    })
    void closed.then((died) => resolve({ died }))
  })
  const order: SuiteOrder = { suite, timeoutMs: options.timeoutSeconds * 1000 }
  child.send(order)
  const timer = setTimeout(() => child.kill('SIGKILL'), 3 * order.timeoutMs) // it blocks its own timer
  const end = await ended
  clearTimeout(timer)
  lines.removeAllListeners('line')
  return end
}
