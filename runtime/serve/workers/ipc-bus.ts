/** The bus of the workers of one supervisor, which passes on what each says: for a store that other machines do not share. */
import type { Bus, BusMessage } from '../../contract/bus.ts'
import { BusListeners, gapTopic, isShortEnough } from '../../store/bus/bus-topics.ts'
import { type BusLine, IpcLine } from './ipc-line.ts'

/** Of this process, which a supervisor started; it hears from the moment it is made. */
export function joinIpcBus(): Bus {
  const listeners = new BusListeners()
  const line = new IpcLine(writeToSupervisor)
  let isClosed = false
  process.on('message', (message: Partial<BusLine> | null) => {
    if (message?.kind === 'bus' && message.topic !== undefined) listeners.hear(message.topic, message.message)
  })
  return {
    publish(topic: string, message: BusMessage) {
      if (isClosed) return
      if (isShortEnough({ topic, message })) line.send(topic, message)
      else line.send(gapTopic, null)
    },
    subscribe: (topic, listener) => listeners.subscribe(topic, listener),
    onGap: (listener) => listeners.onGap(listener),
    close() {
      isClosed = true
      return line.flushed()
    },
  }
}

function writeToSupervisor(line: BusLine, sent: () => void): void {
  if (process.connected) process.send?.(line, undefined, {}, () => sent())
  else sent()
}
