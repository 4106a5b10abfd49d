/** Watches the event loop of this process from a thread: one that stands still can neither answer nor log, nor hear a signal.
 *  Source: decisions/serve.md, Watchdog. */
import { url as debuggedAt } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import type { AppBundle } from '../../contract/bundle.ts'
import type { Route } from '../../contract/route.ts'
import { cell, cellCount, lookEveryMs, type WatchedCall, type WatchedProcess } from './watched.ts'

export interface WatchdogOptions extends Pick<WatchedProcess, 'supervisor' | 'isReadable' | 'base'> {
  /** Null = it is not watched. */
  readonly stallSeconds: number | null
  /** Is told when the thread cannot run. */
  readonly failed: (error: Error) => void
}

export interface Watchdog {
  /** The bundle whose calls note that they begin: one store to memory each, so that the thread can say what ran. */
  readonly bundle: AppBundle
  /** How often the loop has stood still. */
  readonly stalls: () => number
  /** From now on. */
  watch(options: WatchdogOptions): void
  /** The process ends by then, though the loop stands still. */
  endWithin(milliseconds: number): void
  /** Watches no more. */
  end(): void
}

const threadMemory = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, codeRangeSizeMb: 8 }

export function watchdogOf(bundle: AppBundle): Watchdog {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * cellCount)
  const cells = new Int32Array(shared)
  let end = (): void => {}
  return {
    bundle: { ...bundle, routes: bundle.routes.map((route, at) => noting(route, cells, at + 1)) },
    stalls: () => Atomics.load(cells, cell.stalls),
    watch({ stallSeconds, failed, ...how }) {
      if (stallSeconds === null) return
      const workerData: WatchedProcess = {
        shared,
        stallMs: 1000 * stallSeconds,
        calls: callsOf(bundle),
        ...how,
      }
      const options = { workerData, resourceLimits: threadMemory, execArgv: [], env: {} }
      const thread = new Worker(new URL('./watchdog-thread.js', import.meta.url), options)
      thread.on('error', failed)
      thread.unref()
      const signals = releasableSignals()
      const turn = (): void => {
        Atomics.add(cells, cell.turns, 1)
        Atomics.store(cells, cell.isInspected, debuggedAt() === undefined ? 0 : 1)
        signals.hearAgain()
      }
      turn() // the first request may come before the first interval is over
      const timer = setInterval(turn, lookEveryMs(workerData.stallMs)).unref()
      end = () => {
        clearInterval(timer)
        signals.forget()
        void thread.terminate()
      }
    },
    endWithin: (milliseconds) =>
      Atomics.store(cells, cell.endBy, Math.ceil(process.uptime() + milliseconds / 1000)),
    end: () => end(),
  }
}

/** The same route. A controller is made for every call. */
function noting(route: Route, cells: Int32Array, number: number): Route {
  const create = (): object => {
    cells[cell.call] = number
    return route.create()
  }
  return { ...route, create }
}

function callsOf({ routes, catalogue }: AppBundle): readonly WatchedCall[] {
  const tools = new Map(catalogue.tools.map(({ route, name }) => [route, name]))
  return routes.map(({ id, verb, path, controller, call }) => {
    const tool = tools.get(id)
    const [, method] = /\bc\.([\w$]+)\(/.exec(String(call)) ?? [] // printed by the build
    return {
      name: `${verb} ${path}${tool === undefined ? '' : ` (${tool})`}`,
      method: method === undefined ? null : `${controller.name}.${method}`,
    }
  })
}

const ending = ['SIGTERM', 'SIGINT'] as const

/** Lets go of the signals when the thread says that nobody hears them, so that they end the process by themselves. */
function releasableSignals(): { readonly hearAgain: () => void; readonly forget: () => void } {
  const name = Symbol.for('acmcp.watchdog')
  let released: (() => void)[] = []
  const release = (): void => {
    released = ending.flatMap(
      (signal) =>
        process.rawListeners(signal).map((listener) => () => void process.on(signal, listener as () => void)), // of a signal
    )
    for (const signal of ending) process.removeAllListeners(signal)
  }
  Reflect.set(globalThis, name, release)
  return {
    hearAgain() {
      for (const listen of released) listen()
      released = []
    },
    forget: () => void Reflect.deleteProperty(globalThis, name),
  }
}
