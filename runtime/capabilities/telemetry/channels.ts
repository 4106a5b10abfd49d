/** Events of the pipeline on `node:diagnostics_channel`, published only while there are subscribers. */
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'
import { channel } from './names.ts'

/** What the events of one operation carry, one object for all of them: what is found out later is added. No secrets: no header, no
 *  query, no argument. */
export interface ChannelMessage {
  readonly requestId: string
  [detail: string]: unknown
}

/** One operation that is published. */
export interface Published {
  readonly message: ChannelMessage
  /** Its synchronous part, in the stores that subscribers have bound to `start`. */
  run<Result>(work: () => Result): Result
  /** It is over: `asyncStart` and `asyncEnd`. What failed says so in its details; it has been answered too. */
  ended(details: Readonly<Record<string, unknown>>): void
}

type Channel = TracingChannel<string, ChannelMessage>

const channels: Readonly<Record<keyof typeof channel, Channel>> = {
  request: tracingChannel(channel.request),
  message: tracingChannel(channel.message),
  toolCall: tracingChannel(channel.toolCall),
}

/** Whether the channel has subscribers. */
export const isPublished = (which: keyof typeof channel): boolean => channels[which].hasSubscribers

/** Null without subscribers. */
export function publish(which: keyof typeof channel, message: () => ChannelMessage): Published | null {
  const events = channels[which]
  return events.hasSubscribers ? publishedOn(events, message()) : null
}

function publishedOn(events: Channel, message: ChannelMessage): Published {
  return {
    message,
    run: (work) =>
      events.start.runStores(message, () => {
        try {
          return work()
        } finally {
          events.end.publish(message)
        }
      }),
    ended(details) {
      Object.assign(message, details)
      events.asyncStart.publish(message)
      events.asyncEnd.publish(message)
    },
  }
}
