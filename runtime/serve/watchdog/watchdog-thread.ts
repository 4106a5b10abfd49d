/** The thread that lives on while the event loop stands still: it says so, with what runs, and ends a worker for another one. It hears
 *  the signals that end the process, and ends it when the loop does not. */
import { writeSync } from 'node:fs'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { readableLine } from '../readable-log.ts'
import { onSignals } from './signals.ts'
import { cell, lookEveryMs, type WatchedLoop, watchedSignal } from './watched.ts'

const shared: SharedArrayBuffer | null = workerData // of watchdog.ts; null where this is loaded by no thread
const cells = new Int32Array(shared ?? new ArrayBuffer(0))

/** Until the application is known. */
let watched: WatchedLoop = {
  stallMs: null,
  endingMs: 10_000,
  isReplaced: false,
  isReadable: false,
  base: null,
  calls: [],
}

/** A worker is replaced after so many times the time after which a line is logged. */
const endAfter = 3
const patienceMs = 1_000

const supervisor = process.ppid
let turns = -1
let turnedAt = performance.now()
let lookedAt = turnedAt
let isTold = false
let isOver = false

/** Longer between two looks than a few of them means that the thread stood still too: the machine was suspended, or has no time for us. */
function look(stallMs: number): void {
  const now = performance.now()
  const betweenMs = now - lookedAt
  lookedAt = now
  const current = Atomics.load(cells, cell.turns)
  const isInspected = Atomics.load(cells, cell.isInspected) === 1
  if (current !== turns || betweenMs > 4 * lookEveryMs(stallMs) + stallMs / 4 || isInspected) {
    turned(current, now)
    return
  }
  const stoodMs = now - turnedAt
  if (watched.isReplaced && stoodMs > patienceMs && process.ppid !== supervisor) kill('SIGKILL') // its end is heard by the loop alone
  if (!isTold && stoodMs >= stallMs) {
    isTold = true
    Atomics.add(cells, cell.stalls, 1)
    void tellStall(stoodMs)
  }
  if (watched.isReplaced && !isOver && stoodMs >= endAfter * stallMs) {
    isOver = true
    endWorker(stoodMs)
  }
}

function turned(current: number, now: number): void {
  if (isTold && current !== turns)
    say({ level: 40, ms: Math.round(now - turnedAt), msg: 'the event loop turns again' })
  turns = current
  turnedAt = now
  isTold = false
  isOver = false
}

let hasHeard = false

/** The process ends by itself half a second before it must, and at once at a second signal. */
function toldToEnd(): void {
  setTimeout(() => kill('SIGKILL'), hasHeard ? patienceMs : watched.endingMs)
  hasHeard = true
}

async function tellStall(stoodMs: number): Promise<void> {
  const stack = await stackOf()
  const message = 'the event loop stands still'
  const err = stack.length === 0 ? {} : { err: { type: 'Stall', message, stack: stack.join('\n') } }
  say({ level: 50, ms: Math.round(stoodMs), ...whatRan(stack), msg: message, ...err })
}

/** The call whose method is on the stack, else the one that began last. */
function whatRan(stack: readonly string[]): Pick<Line, 'ran' | 'beganLast'> {
  for (const line of stack) {
    const [, method] = /^ +at (?:async )?([\w$]+\.[\w$]+) \(/.exec(line) ?? []
    const found = watched.calls.find((call) => call.method === method)
    if (method !== undefined && found !== undefined) return { ran: found.name }
  }
  const last = watched.calls[Atomics.load(cells, cell.call) - 1]
  return last === undefined ? {} : { beganLast: last.name }
}

const mostFrames = 20
const longestFrame = 150

/** Of the other thread, with the places of the sources; empty where Node gives none, as in a system call that does not return. */
async function stackOf(): Promise<readonly string[]> {
  const text = await evaluated('new Error().stack')
  return text
    .split('\n')
    .slice(2, 2 + mostFrames) // its name, and the expression itself
    .map((line) => line.slice(0, longestFrame))
}

/** A supervisor starts another one when it hears of the end. Who listens to that signal would not hear it either. */
function endWorker(stoodMs: number): void {
  say({ level: 50, ms: Math.round(stoodMs), msg: 'the event loop stands still: this worker is replaced' })
  kill(watchedSignal)
  setTimeout(() => kill('SIGKILL'), patienceMs)
}

const kill = (signal: string): void => {
  try {
    process.kill(process.pid, signal)
  } catch {
    process.kill(process.pid, 'SIGKILL') // a system without that signal
  }
}

/** A text that the other thread has, in the middle of what it does; empty when it does not answer. */
async function evaluated(expression: string): Promise<string> {
  try {
    const { Session } = await import('node:inspector')
    const session = new Session()
    session.connectToMainThread()
    return await new Promise<string>((resolve) => {
      setTimeout(() => resolve(''), patienceMs)
      session.post('Runtime.evaluate', { expression, returnByValue: true }, (_error, answer) => {
        session.disconnect()
        resolve(String(answer?.result.value ?? ''))
      })
    })
  } catch {
    return '' // Node can be built without an inspector
  }
}

/** What a pipe takes in one piece, though others write to it. */
const longestLine = 4096

interface Line {
  readonly level: number
  /** How long. */
  readonly ms: number
  readonly msg: string
  readonly err?: object
  readonly ran?: string
  readonly beganLast?: string
}

function say(fields: Line): void {
  const { base, isReadable } = watched
  if (base === null) return
  const line = JSON.stringify({ ...fields, time: Date.now(), ...base })
  const { err: _, ...short } = fields
  const fitting = line.length < longestLine ? line : JSON.stringify({ ...short, time: Date.now(), ...base })
  try {
    writeSync(1, `${isReadable ? readableLine(fitting) : fitting}\n`)
  } catch {
    // nobody reads: what waits in memory is the other thread's
  }
}

if (!isMainThread) {
  onSignals(['SIGTERM', 'SIGINT'], toldToEnd)
  parentPort?.postMessage('ready')
  parentPort?.once('message', (loop: WatchedLoop) => {
    watched = loop
    const { stallMs } = loop
    lookedAt = performance.now()
    if (stallMs !== null) setInterval(() => look(stallMs), lookEveryMs(stallMs))
  })
}
