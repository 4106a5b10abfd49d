/** Watches the event loop of this process from a thread: one that stands still can neither answer nor log, nor hear a signal.
 *  Source: decisions/serve.md, Watchdog. */
import { url as debuggedAt } from 'node:inspector'
import { Worker } from 'node:worker_threads'
import type { AppBundle } from '../../contract/bundle.ts'
import type { Route } from '../../contract/route.ts'
import { cell, cellCount, lookEveryMs, type WatchedCall, type WatchedLoop } from './watched.ts'

export interface WatchedLoopOptions extends Omit<WatchedLoop, 'stallMs' | 'calls'> {
  /** Null = it is not watched. */
  readonly stallSeconds: number | null
}

export interface Watchdog {
  /** Resolves when signals are heard, or never will be. */
  readonly ready: Promise<unknown>
  /** The bundle whose calls note that they begin: one store to memory each, so that the thread can say what ran. */
  noting(bundle: AppBundle): AppBundle
  /** How often the loop has stood still. */
  readonly stalls: () => number
  /** From now on. */
  watch(bundle: AppBundle, options: WatchedLoopOptions): void
  /** Watches no more. */
  end(): void
}

const threadMemory = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, codeRangeSizeMb: 8 }

/** Soon the process ends when a signal tells it to, whatever its event loop does. `failed` is told when the thread cannot run. */
export function startWatchdog(failed: (error: Error) => void): Watchdog {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * cellCount)
  const cells = new Int32Array(shared)
  const options = { workerData: shared, resourceLimits: threadMemory, execArgv: [], env: {} }
  const thread = new Worker(new URL('./watchdog-thread.js', import.meta.url), options)
  thread.on('error', failed)
  const ready = new Promise((resolve) => {
    thread.once('message', resolve).once('exit', resolve)
  }).finally(() => thread.unref())
  let turn: NodeJS.Timeout | undefined
  return {
    ready,
    noting: (bundle) => ({
      ...bundle,
      routes: bundle.routes.map((route, at) => noting(route, cells, at + 1)),
    }),
    stalls: () => Atomics.load(cells, cell.stalls),
    watch(bundle, { stallSeconds, ...how }) {
      const stallMs = stallSeconds === null ? null : 1000 * stallSeconds
      const loop: WatchedLoop = { stallMs, calls: callsOf(bundle), ...how }
      thread.postMessage(loop)
      if (stallMs === null) return
      turn = setInterval(() => {
        Atomics.add(cells, cell.turns, 1)
        Atomics.store(cells, cell.isInspected, debuggedAt() === undefined ? 0 : 1)
      }, lookEveryMs(stallMs)).unref()
    },
    end() {
      clearInterval(turn)
      void thread.terminate()
    },
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
