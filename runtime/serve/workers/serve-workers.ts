/** `acmcp serve --workers`: a supervisor with several workers on one port, in production too. SIGHUP puts a new one in the place of
 *  each, one after the other: a rolling restart. */
import type { Variables } from '../../boot/environment.ts'
import { readShutdownDelay } from '../../boot/variable-checks.ts'
import { type Say, sayBy } from '../say.ts'
import type { RunningServer } from '../serve.ts'
import { type Supervisor, startSupervisor } from '../supervisor.ts'
import { retirementMs } from './protocol.ts'

export interface ServeWorkersOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Variables
  /** The program that serves as a worker. */
  readonly worker: { readonly exec: string; readonly args: readonly string[] }
  /** How many. */
  readonly count: number
  /** Receives what the first worker says, and what became of each: a line each, JSON unless people read it. */
  readonly print: (line: string) => void
  /** Whether `print` writes to a terminal. */
  readonly isTerminal: boolean
}

/** Serves until closed. Throws `BootError` with one clear line when the workers must not start. */
export async function serveWorkers(options: ServeWorkersOptions): Promise<RunningServer> {
  const { cwd, env, worker, count, print, isTerminal } = options
  const say = sayBy(print, isTerminal && env.NODE_ENV !== 'production')
  const starting = startSupervisor({
    program: { ...worker, cwd },
    count,
    standby: false,
    say,
    waits: {
      shutdownDelayMs: 1000 * readShutdownDelay(env),
      retirementMs: env.NODE_ENV === 'production' ? retirementMs : 0,
    },
  })
  const forget = isTerminal ? () => {} : onHangUp(starting, { count, say })
  const { address, close } = await starting
  if (count > 1) say('info', `acmcp: ${count} workers serve`)
  return {
    address,
    close() {
      forget()
      return close()
    },
  }
}

/** SIGHUP is what daemons restart at (nginx, gunicorn). A terminal that is closed sends it too: there it ends the process, as ever.
 *  While a restart is under way one more waits, however often it is asked for. Returns what ends it. */
function onHangUp(
  starting: Promise<Supervisor>,
  { count, say }: { readonly count: number; readonly say: Say },
): () => void {
  let turn: Promise<unknown> = starting
  let isWaiting = false
  const restart = async (): Promise<void> => {
    isWaiting = false
    try {
      const supervisor = await starting
      await supervisor.replace((level, message) => {
        if (level !== 'info') say(level, message)
      })
      say(
        'info',
        `acmcp: restarted, ${count === 1 ? 'the worker serves' : `all ${count} workers serve`} the build that lies there`,
      )
    } catch (error) {
      say('error', `acmcp: not restarted: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const hungUp = (): void => {
    if (isWaiting) return
    isWaiting = true
    turn = turn.then(restart, () => {})
  }
  process.on('SIGHUP', hungUp)
  return () => void process.off('SIGHUP', hungUp)
}
