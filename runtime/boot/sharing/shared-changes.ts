/** Changes of access that every instance must know of: each tells the others over the bus. Source: decisions/store.md, The bus. */
import type { Bus } from '../../contract/bus.ts'
import type { AccessControl } from '../../http/access/access-control.ts'
import type { McpServer } from '../../mcp/server.ts'
import type { Granted } from '../../oauth/options.ts'
import type { Scheduler } from '../../scheduler.ts'
import { DeafConnection, type Store } from '../../store/store.ts'
import { BootError } from '../boot-error.ts'
import { applicationTopic } from './application-events.ts'
import { coalesced } from './coalesced.ts'

interface Rooms {
  readonly access: Pick<AccessControl, 'userRevoked'>
  readonly mcp: Pick<McpServer, 'userRevoked' | 'accessChanged' | 'resourceUri' | 'streams'>
}

export interface SharedChanges {
  revoked(userId: string): void
  granted(granted: Granted): void
  /** This instance's own clients have been told. */
  toolsChanged(): void
  /** `Services.resourceChanged`. */
  resourceChanged(uri: string): void
  /** Says what waits, and leaves the bus. */
  close(): Promise<boolean>
}

/** Of the bus: the whole address of a resource. */
const resourceTopic = 'resource'

/** What happens here is told to the rooms of this instance and to the others; what happens there to the rooms. */
export function shareChanges(bus: Bus, rooms: () => Rooms, every: Scheduler): SharedChanges {
  const revokedHere = (userId: string | null): void => {
    const { access, mcp } = rooms()
    access.userRevoked(userId)
    mcp.userRevoked(userId)
  }
  bus.subscribe('revoked', (message) => {
    if (typeof message === 'string') revokedHere(message)
  })
  bus.subscribe('granted', (message) => {
    if (isGranted(message)) rooms().mcp.accessChanged(message)
  })
  bus.subscribe('tools', () => rooms().mcp.streams.toolsChanged())
  bus.subscribe(resourceTopic, (message) => {
    if (typeof message === 'string') rooms().mcp.streams.resourceChanged(message)
  })
  bus.onGap(() => {
    revokedHere(null)
    rooms().mcp.streams.anythingChanged()
  })
  const resources = coalesced((uri) => {
    rooms().mcp.streams.resourceChanged(uri)
    bus.publish(resourceTopic, uri)
  }, every)
  return {
    revoked(userId) {
      revokedHere(userId)
      bus.publish('revoked', userId)
    },
    granted({ userId, clientId, scopes }) {
      rooms().mcp.accessChanged({ userId, clientId, scopes })
      bus.publish('granted', { userId, clientId, scopes })
    },
    toolsChanged: () => bus.publish('tools', null),
    resourceChanged: (uri) => resources.say(rooms().mcp.resourceUri(uri)),
    close() {
      resources.end()
      return bus.close()
    },
  }
}

function isGranted(message: unknown): message is Granted {
  const { userId, clientId, scopes } = (message ?? {}) as Readonly<Record<string, unknown>> // any value may be asked
  return (
    typeof userId === 'string' &&
    typeof clientId === 'string' &&
    Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === 'string')
  )
}

/** `workers`: the bus to the other workers of this machine. Throws `BootError` where nothing would be heard. */
export async function joinedBus(
  store: Pick<Store, 'isShared' | 'joinBus'>,
  { every, secrets }: { readonly every: Scheduler; readonly secrets: readonly string[] },
  workers: Bus | undefined,
): Promise<Bus> {
  const others = await store.joinBus(every, secrets).catch((error: unknown) => {
    throw error instanceof DeafConnection ? new BootError(error.message) : error
  })
  if (store.isShared) return others
  return workers === undefined ? withoutApplication(others) : hearing(workers, others)
}

const ofWorkers: ReadonlySet<string> = new Set([applicationTopic, resourceTopic])

/** On a file nobody else listens to what the application says: it is not written there. */
const withoutApplication = (others: Bus): Bus => ({
  publish(topic, message) {
    if (!ofWorkers.has(topic)) others.publish(topic, message)
  },
  subscribe: (topic, listener) => others.subscribe(topic, listener),
  onGap: (listener) => others.onGap(listener),
  close: () => others.close(),
})

/** Speaks to the workers, and to other processes on the file of what was revoked or granted; hears too what those
 *  (`acmcp grants revoke`) can have changed. Workers hear of that twice: seldom, and the second time they only look anew. */
const hearing = (workers: Bus, others: Bus): Bus => ({
  publish(topic, message) {
    workers.publish(topic, message)
    if (topic === 'revoked' || topic === 'granted') others.publish(topic, message)
  },
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
