/** Changes of access that every instance must know of: each tells the others over the bus. */
import type { Bus } from '../../contract/bus.ts'
import type { Logger } from '../../contract/store.ts'
import type { McpServer, OpenStreams } from '../../mcp/server.ts'
import type { Granted } from '../../oauth/options.ts'
import { intervalScheduler, type Scheduler } from '../../scheduler.ts'
import { DeafConnection, type Store } from '../../store/store.ts'
import { BootError } from '../boot-error.ts'
import { applicationTopic } from './application-events.ts'

/** What a room does about a change, of here or of another instance. */
export interface ChangeListener {
  /** A credential of that user has been revoked, null = maybe of any user. */
  readonly userRevoked?: (userId: string | null) => void
  /** That client may do other things for that user from now on. */
  readonly accessChanged?: (granted: Granted) => void
  /** The streams of this instance, for lists and resources that have changed. */
  readonly streams?: Pick<OpenStreams, 'toolsChanged' | 'resourceChanged' | 'anythingChanged'>
}

export interface SharedChanges {
  /** Rooms listen from then on, in this order. */
  listen(listener: ChangeListener): void
  revoked(userId: string): void
  granted(granted: Granted): void
  /** This instance's own clients have been told. */
  toolsChanged(): void
  /** `Services.resourceChanged`. */
  resourceChanged(uri: string): void
  /** Says what waits, and leaves the bus. */
  close(): Promise<boolean>
}

export interface ChangeOptions {
  readonly every: Scheduler
  /** The whole address of a resource; throws for one that none has. */
  readonly resourceUri: (uri: string) => string
}

/** Of the bus: the whole address of a resource. */
const resourceTopic = 'resource'

/** An emitter: what happens here is told to the listeners of this instance and to the others; what happens there to the listeners.
 *  Made before the rooms that speak and listen. */
export function shareChanges(bus: Bus, { every, resourceUri }: ChangeOptions): SharedChanges {
  const listeners: ChangeListener[] = []
  const revokedHere = (userId: string | null): void => {
    for (const { userRevoked } of listeners) userRevoked?.(userId)
  }
  const grantedHere = (granted: Granted): void => {
    for (const { accessChanged } of listeners) accessChanged?.(granted)
  }
  const resourceChangedHere = (uri: string): void => {
    for (const { streams } of listeners) streams?.resourceChanged(uri)
  }
  bus.subscribe('revoked', (message) => {
    if (typeof message === 'string') revokedHere(message)
  })
  bus.subscribe('granted', (message) => {
    if (isGranted(message)) grantedHere(message)
  })
  bus.subscribe('tools', () => {
    for (const { streams } of listeners) streams?.toolsChanged()
  })
  bus.subscribe(resourceTopic, (message) => {
    if (typeof message === 'string') resourceChangedHere(message)
  })
  bus.onGap(() => {
    revokedHere(null)
    for (const { streams } of listeners) streams?.anythingChanged()
  })
  const resources = coalesced((uri) => {
    resourceChangedHere(uri)
    bus.publish(resourceTopic, uri)
  }, every)
  return {
    listen: (listener) => void listeners.push(listener),
    revoked(userId) {
      revokedHere(userId)
      bus.publish('revoked', userId)
    },
    granted({ userId, clientId, scopes }) {
      grantedHere({ userId, clientId, scopes })
      bus.publish('granted', { userId, clientId, scopes })
    },
    toolsChanged: () => bus.publish('tools', null),
    resourceChanged: (uri) => resources.say(resourceUri(uri)),
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

/** The bus to other processes on the store. Throws `BootError` where nothing would be heard. */
export async function joinedBus(
  store: Pick<Store, 'isShared' | 'joinBus'>,
  { every, secrets }: { readonly every: Scheduler; readonly secrets: readonly string[] },
): Promise<Bus> {
  const others = await store.joinBus(every, secrets).catch((error: unknown) => {
    throw error instanceof DeafConnection ? new BootError(error.message) : error
  })
  return store.isShared ? others : withoutApplication(others)
}

const ofApplication: ReadonlySet<string> = new Set([applicationTopic, resourceTopic])

/** On a file no other process listens to what the application says: it is not written there. */
const withoutApplication = (others: Bus): Bus => ({
  publish(topic, message) {
    if (!ofApplication.has(topic)) others.publish(topic, message)
  },
  subscribe: (topic, listener) => others.subscribe(topic, listener),
  onGap: (listener) => others.onGap(listener),
  close: () => others.close(),
})

const everyMs = 1000
/** So many texts are kept an eye on at once; further ones are all said. */
const maxRecent = 10_000

interface Coalesced {
  readonly say: (text: string) => void
  /** Says what waits. From then on nothing waits. */
  readonly end: () => void
}

/** A text is said at once; if it comes again within the next second, then once more at its end, and so on each second. The last one is
 *  never lost. */
function coalesced(say: (text: string) => void, every: Scheduler): Coalesced {
  const recent = new Map<string, { isAgain: boolean }>()
  let stop: (() => Promise<void>) | null = null
  let isOver = false
  const look = async (): Promise<void> => {
    for (const [text, since] of [...recent]) {
      if (since.isAgain) say(text)
      else recent.delete(text)
      since.isAgain = false
    }
    if (recent.size === 0) rest()
  }
  const rest = (): void => {
    void stop?.()
    stop = null
  }
  return {
    say(text) {
      const since = recent.get(text)
      if (since !== undefined) {
        since.isAgain = true
        return
      }
      if (!isOver && recent.size < maxRecent) {
        recent.set(text, { isAgain: false })
        stop ??= every(everyMs, look)
      }
      say(text)
    },
    end() {
      isOver = true
      for (const [text, { isAgain }] of recent) if (isAgain) say(text)
      recent.clear()
      rest()
    },
  }
}

const shareEveryMs = 1000

interface CountSharing {
  readonly store: Pick<Store, 'isShared' | 'shareCounts'>
  readonly log: Logger
  readonly every?: Scheduler
}

/** Instances on one store exchange what the rate limits counted once a second; no request waits for it, and a failed
 *  exchange is made up for by the next (rules.md, rate limits). Returns what ends it. */
export function shareCounts(
  { store, log, every = intervalScheduler }: CountSharing,
  counting: readonly Pick<McpServer, 'exchangeCounts'>[],
): () => Promise<void> {
  if (!store.isShared) return async () => {}
  return every(shareEveryMs, () =>
    Promise.all(counting.map(({ exchangeCounts }) => exchangeCounts(store.shareCounts)))
      .then(() => {})
      .catch((error: unknown) => log.warn({ reason: String(error) }, 'rate limits were not shared')),
  )
}
