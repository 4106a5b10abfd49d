/** A process on the bus of its parent: says something short and something long, and what it hears. */
import { joinIpcBus } from '../../../../runtime/serve/workers/ipc-bus.ts'

const bus = joinIpcBus()
bus.subscribe('greeting', (message) => bus.publish('heard', String(message)))
bus.onGap(async () => {
  bus.publish('heard', 'a gap')
  const isAllSaid = await bus.close()
  bus.publish('heard', 'nothing is said after the end')
  process.send?.({ isAllSaid }, () => process.disconnect())
})
bus.publish('notes', { short: true })
bus.publish('notes', 'long'.repeat(2000))
