/** Signals as a thread hears them. Node tells the event loop of the process alone, which may stand still; libuv tells every loop that
 *  listens. */
import { constants } from 'node:os'

/** Of libuv (lib/internal/process/signal.js). */
interface SignalHandle {
  onsignal: () => void
  start(signal: number): unknown
}

interface Bindings {
  binding(name: 'signal_wrap'): { readonly Signal: new () => SignalHandle }
}

/** Calls `heard` for each of them; whoever else listens hears them too. Without Node's binding nothing is heard. */
export function onSignals(signals: readonly ('SIGTERM' | 'SIGINT')[], heard: () => void): void {
  process.noDeprecation = true // of this thread: there is no other way
  try {
    const { Signal } = (process as unknown as Bindings).binding('signal_wrap') // @types/node leaves it out
    for (const signal of signals) {
      const handle = new Signal()
      handle.onsignal = heard
      handle.start(constants.signals[signal])
    }
  } catch {
    // --permission takes it away
  }
}
