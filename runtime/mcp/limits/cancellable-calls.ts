/** The calls of this process that their client may take back: those of the `initialize` revisions, where going away is no cancellation.
 *  A call is known while it runs and no longer, so that cancelling clients store nothing. Source: MCP 2025-11-25, Cancellation; rules.md,
 *  cancellation. */

import type { CallTime } from '../../http/limits/call-time.ts'
import { RingItem } from '../../ring.ts'
import type { Caller, Client } from '../auth/caller.ts'
import { credentialKey } from '../auth/credentials.ts'
import type { CallMessage } from '../protocol/message.ts'

interface Cancellable {
  readonly client: Client
  readonly message: Pick<CallMessage, 'era' | 'id'>
  readonly time: Pick<CallTime, 'cancel'>
}

export interface CancellableCalls {
  /** Returns what ends that. */
  add(call: Cancellable): () => void
  /** The client takes back the call that it sent under that id. Of several it cannot be said which, and none is stopped. */
  cancel(client: Client, requestId: unknown): void
}

/** Stands in a ring until a client cancels a call: few calls live to see that, and a name for each costs it 3 %. */
class RunningCall extends RingItem {
  readonly call: Cancellable | null
  /** Those of its name, when they have been named. */
  calls: Set<Cancellable> | null = null

  constructor(call: Cancellable | null) {
    super()
    this.call = call
  }
}

export function createCancellableCalls(): CancellableCalls {
  const unnamed = new RunningCall(null)
  const named = new Map<string, Set<Cancellable>>()
  /** Each call once, so that it costs no more than the calls do. */
  const nameAll = (): void => {
    for (let running = unnamed.after; running.call !== null; running = unnamed.after) {
      const { call } = running
      const key = keyOf(call.client.caller, call.message.id)
      running.calls = (named.get(key) ?? new Set()).add(call)
      named.set(key, running.calls)
      running.leave()
    }
  }
  return {
    add(call) {
      const { message, client } = call
      if (message.era !== 'legacy') return nothing
      const running = new RunningCall(call)
      running.join(unnamed)
      return () => {
        running.leave()
        running.calls?.delete(call)
        if (running.calls?.size === 0) named.delete(keyOf(client.caller, message.id))
      }
    },
    cancel(client, requestId) {
      if (typeof requestId !== 'string' && !Number.isSafeInteger(requestId)) return
      nameAll()
      const calls = named.get(keyOf(client.caller, JSON.stringify(requestId))) ?? []
      const own = [...calls].filter((call) => isOfSame(call.client, client))
      if (own.length === 1) own[0]?.time.cancel()
    },
  }
}

const nothing = (): void => {}

const keyOf = ({ key }: Caller, id: string): string => `${key} ${id}`

/** Whether the call came with the same credentials; a token that was refreshed meanwhile is of the same grant. */
function isOfSame(client: Client, asking: Client): boolean {
  const grantId = client.caller.auth?.grantId ?? null
  if (grantId !== null && grantId === asking.caller.auth?.grantId) return true
  return credentialKey(client.request.headers) === credentialKey(asking.request.headers)
}
