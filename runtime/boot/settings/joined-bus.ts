/** The bus of an instance, by what it shares its store with. */
import type { Bus } from '../../contract/bus.ts'
import type { Scheduler } from '../../scheduler.ts'
import { DeafConnection, type Store } from '../../store/store.ts'
import { BootError } from '../boot-error.ts'
import { applicationTopic } from './application-events.ts'

/** `workers`: the bus to the other workers of this machine. Throws `BootError` where nothing would be heard. */
export async function joinedBus(store: Store, every: Scheduler, workers: Bus | undefined): Promise<Bus> {
  const others = await store.joinBus(every).catch((error: unknown) => {
    throw error instanceof DeafConnection ? new BootError(error.message) : error
  })
  if (store.isShared) return others
  return workers === undefined ? withoutApplication(others) : hearing(workers, others)
}

/** On a file nobody else listens to what the application says: it is not written there. */
const withoutApplication = (others: Bus): Bus => ({
  publish(topic, message) {
    if (topic !== applicationTopic) others.publish(topic, message)
  },
  subscribe: (topic, listener) => others.subscribe(topic, listener),
  onGap: (listener) => others.onGap(listener),
  close: () => others.close(),
})

/** Speaks to the workers, and hears too what other processes on the file (`acmcp grants revoke`) can have changed. */
const hearing = (workers: Bus, others: Bus): Bus => ({
  publish: (topic, message) => workers.publish(topic, message),
  subscribe: (topic, listener) => workers.subscribe(topic, listener),
  onGap(listener) {
    workers.onGap(listener)
    others.onGap(listener)
  },
  async close() {
    await others.close()
    return workers.close()
  },
})
