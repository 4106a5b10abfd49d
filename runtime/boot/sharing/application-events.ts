/** What the application publishes and hears, here and at the other instances. Its topics lie inside of one topic of the bus: they
 *  cannot meet ours. Source: decisions/store.md, Application events. */
import type { Bus, BusMessage } from '../../contract/bus.ts'
import type { Logger, MessageListener, Services } from '../../contract/store.ts'
import { frozen, frozenJson } from '../../frozen-json.ts'

/** Of the bus. */
export const applicationTopic = 'application'

/** One for every engine: what works on SQLite fits into a notification of PostgreSQL too. */
const maxBytes = 7_000
const maxTopicCharacters = 200

interface Subscription {
  readonly listener: MessageListener
  readonly onGap: () => unknown
}

const noSubscriptions: ReadonlySet<Subscription> = new Set()

interface Published {
  readonly topic: string
  readonly message: BusMessage
}

export function applicationEvents(bus: Bus, log: Logger): Pick<Services, 'publish' | 'subscribe'> {
  const topics = new Map<string, Set<Subscription>>()
  const failed = (topic: string, error: unknown): void =>
    log.error({ topic, err: error }, 'a listener of application events failed')
  const deliver = ({ topic, message }: Published): void => {
    const subscriptions = topics.get(topic) ?? noSubscriptions
    for (const subscription of [...subscriptions]) // those of now, as long as they are there
      if (subscriptions.has(subscription)) run(() => subscription.listener(message), topic, failed)
  }
  const deliverInOrder = inTurn(deliver)
  bus.subscribe(applicationTopic, (message) => {
    if (isPublished(message)) deliverInOrder({ topic: message[0], message: frozen(message[1]) })
  })
  bus.onGap(() => {
    for (const [topic, subscriptions] of [...topics])
      for (const { onGap } of [...subscriptions]) run(onGap, topic, failed)
  })
  return {
    publish(topic, message) {
      const carried: readonly [string, BusMessage] = [checkedTopic(topic), frozenJson(message, 'the message')]
      const bytes = Buffer.byteLength(JSON.stringify(carried))
      if (bytes > maxBytes) throw new RangeError(tooLong(topic, bytes))
      bus.publish(applicationTopic, carried)
      deliverInOrder({ topic, message: carried[1] })
    },
    subscribe(topic, listener, { onGap = () => {} } = {}) {
      const subscription = { listener, onGap }
      topics.set(checkedTopic(topic), (topics.get(topic) ?? new Set()).add(subscription))
      return () => forget(topics, topic, subscription)
    },
  }
}

const tooLong = (topic: string, bytes: number): string =>
  `a message for ${topic} has ${bytes} bytes of JSON with its topic, at most ${maxBytes} are carried: publish an id, and read the rest`

function forget(topics: Map<string, Set<Subscription>>, topic: string, subscription: Subscription): void {
  const subscriptions = topics.get(topic)
  subscriptions?.delete(subscription)
  if (subscriptions?.size === 0) topics.delete(topic)
}

/** What a listener publishes comes after what it is hearing, for all. */
function inTurn<Item>(take: (item: Item) => void): (item: Item) => void {
  const waiting: Item[] = []
  let isTaking = false
  return (item) => {
    waiting.push(item)
    if (isTaking) return
    isTaking = true
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) take(next)
    isTaking = false
  }
}

/** One listener's failure does not affect another; an asynchronous one's is no unhandled rejection. */
function run(call: () => unknown, topic: string, failed: (topic: string, error: unknown) => void): void {
  try {
    const result = call()
    if (result instanceof Promise) result.catch((error: unknown) => failed(topic, error))
  } catch (error) {
    failed(topic, error)
  }
}

function checkedTopic(topic: string): string {
  if (typeof topic !== 'string') throw new TypeError('a topic is a text')
  if (topic.length >= 1 && topic.length <= maxTopicCharacters) return topic
  throw new RangeError(`a topic has 1 to ${maxTopicCharacters} characters, not ${topic.length}`)
}

/** Other instances are of the same application, maybe of another version. */
const isPublished = (message: unknown): message is readonly [string, BusMessage] =>
  Array.isArray(message) && message.length === 2 && typeof message[0] === 'string'
