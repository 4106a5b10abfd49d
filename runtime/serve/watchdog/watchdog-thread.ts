/** The thread that lives on while the event loop stands still: it says so, with what runs, and ends a worker for another one. */
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { readableLine } from '../readable-log.ts'
import { cell, cellCount, lookEveryMs, type WatchedProcess, watchedSignal } from './watched.ts'

/** What is loaded by no thread watches nothing. */
const nothing: WatchedProcess = {
  shared: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * cellCount),
  stallMs: 0,
  supervisor: null,
  isReadable: false,
  base: null,
  calls: [],
}
const watched: WatchedProcess | null = workerData // of watchdog.ts
const { shared, stallMs, supervisor, isReadable, base, calls } = watched ?? nothing
const cells = new Int32Array(shared)

/** How often it is looked. Longer between two looks means that the thread stood still too: the machine was suspended, or has no time for us. */
const lookMs = lookEveryMs(stallMs)
const maxBetweenMs = 4 * lookMs + stallMs / 4
/** A worker is replaced, and what serves alone takes no signal any more, after so many times the time after which a line is logged. */
const endAfter = 3
const patienceMs = 1_000

let turns = -1
let turnedAt = performance.now()
let lookedAt = turnedAt
let isReported = false
let isOver = false

function look(): void {
  const now = performance.now()
  const betweenMs = now - lookedAt
  lookedAt = now
  const endBy = Atomics.load(cells, cell.endBy)
  if (endBy !== 0 && process.uptime() > endBy) kill('SIGKILL')
  const current = Atomics.load(cells, cell.turns)
  const isInspected = Atomics.load(cells, cell.isInspected) === 1
  if (current !== turns || betweenMs > maxBetweenMs || isInspected) {
    turned(current, now)
    return
  }
  const stoodMs = now - turnedAt
  if (supervisor !== null && process.ppid !== supervisor && stoodMs > patienceMs) kill('SIGKILL') // the loop alone would hear of it
  if (!isReported && stoodMs >= stallMs) {
    isReported = true
    Atomics.add(cells, cell.stalls, 1)
    void reportStall(stoodMs)
  }
  if (!isOver && stoodMs >= endAfter * stallMs) {
    isOver = true
    if (supervisor !== null) endWorker(stoodMs)
    else void leaveToSignals(stoodMs)
  }
}

function turned(current: number, now: number): void {
  if (isReported && current !== turns)
    say({ level: 40, ms: Math.round(now - turnedAt), msg: 'the event loop turns again' })
  turns = current
  turnedAt = now
  isReported = false
  isOver = false
}

async function reportStall(stoodMs: number): Promise<void> {
  const stack = await stackOf()
  const message = 'the event loop stands still'
  const err = stack.length === 0 ? {} : { err: { type: 'Stall', message, stack: stack.join('\n') } }
  say({ level: 50, ms: Math.round(stoodMs), ...whatRan(stack), msg: message, ...err })
}

/** The call whose method is on the stack, else the one that began last. */
function whatRan(stack: readonly string[]): Pick<Line, 'ran' | 'beganLast'> {
  for (const line of stack) {
    const [, method] = /^ +at (?:async )?([\w$]+\.[\w$]+) \(/.exec(line) ?? []
    const found = calls.find((call) => call.method === method)
    if (method !== undefined && found !== undefined) return { ran: found.name }
  }
  const last = calls[Atomics.load(cells, cell.call) - 1]
  return last === undefined ? {} : { beganLast: last.name }
}

const maxFrames = 20
const longestFrame = 150

/** Of the other thread, with the places of the sources; empty where Node gives none, as in a system call that does not return. */
async function stackOf(): Promise<readonly string[]> {
  const text = await evaluated('new Error().stack')
  return text
    .split('\n')
    .slice(2, 2 + maxFrames) // its name, and the expression itself
    .map((line) => line.slice(0, longestFrame))
}

/** A supervisor starts another one when it hears of the end. Who listens to that signal would not hear it either. */
function endWorker(stoodMs: number): void {
  say({ level: 50, ms: Math.round(stoodMs), msg: 'the event loop stands still: this worker is replaced' })
  kill(watchedSignal)
  setTimeout(() => kill('SIGKILL'), patienceMs)
}

/** Nobody hears signals while the loop stands still: now they end the process at once. */
async function leaveToSignals(stoodMs: number): Promise<void> {
  const release = `globalThis[Symbol.for('acmcp.watchdog')]?.()`
  await evaluated(release)
  say({ level: 50, ms: Math.round(stoodMs), msg: 'the event loop stands still: SIGTERM ends it at once' })
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
  const line = JSON.stringify({ ...fields, time: Date.now(), ...base })
  const { err: _, ...short } = fields
  const fitting = line.length < longestLine ? line : JSON.stringify({ ...short, time: Date.now(), ...base })
  write(`${isReadable ? readableLine(fitting) : fitting}\n`)
}

function write(text: string): void {
  if (base === null) return
  try {
    writeSync(1, text)
  } catch {
    // nobody reads: what waits in memory is the other thread's
  }
}

if (watched !== null) setInterval(look, lookMs)
