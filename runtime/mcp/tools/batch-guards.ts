/** The guards of a batch: all of them run before its first call. Source: decisions/mcp.md, Scopes. */
import type { WatchedMessage, WatchMessage } from '../../contract/calls.ts'
import type { Scopes } from '../../scopes.ts'
import type { PermittedClient } from '../access/permission.ts'
import { type ToolCall, toolCallFrom } from '../calls/tool-answer.ts'
import type { CountCall } from '../limits/limits.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'
import type { Refusal } from '../protocol/http-refusal.ts'
import type { Tools } from './tools.ts'

/** Why the whole batch is refused, or null. */
export type GuardBatch = (messages: readonly WireObject[], client: PermittedClient) => Promise<Refusal | null>

export interface BatchGuardOptions {
  readonly scopes: Scopes
  readonly authenticates: boolean
  /** Counts a call that is refused: it does not come to where it would be counted. */
  readonly countCall: CountCall
  /** Null without a watcher. */
  readonly watch: WatchMessage | null
}

/** One refusal refuses all; the challenge names what all calls need, so that a client has to ask but once. Null where no scopes are
 *  declared, or a refusal is a failed call. */
export function createBatchGuards(
  tools: Pick<Tools, 'guarded'>,
  { scopes, authenticates, countCall, watch }: BatchGuardOptions,
): GuardBatch | null {
  if (!authenticates || scopes.declared.length === 0) return null
  return async (messages, client) => {
    const needed = new Set<string>()
    const refusals: Refusal[] = []
    for (const call of messages.flatMap((message) => callIn(message, client, watch) ?? [])) {
      const guarded = tools.guarded(call)
      const refusal = (await guarded?.refusal()) ?? null
      const overload = refusal === null ? null : countCall(client.caller)
      if (overload !== null) return { kind: 'overload', overload }
      if (refusal !== null) refusals.push(refusal)
      for (const name of [...(guarded?.required?.names ?? []), ...named(refusal)]) needed.add(name)
    }
    const unauthorized = refusals.find(({ kind }) => kind === 'unauthorized')
    if (unauthorized !== undefined || refusals.length === 0) return unauthorized ?? null
    const declared = scopes.declared.map(({ name }) => name)
    return { kind: 'insufficientScope', scope: declared.filter((name) => needed.has(name)).join(' ') }
  }
}

const named = (refusal: Refusal | null): readonly string[] =>
  refusal?.kind === 'insufficientScope' ? (refusal.scope?.split(' ') ?? []) : []

/** The call that a message makes; what the protocol refuses makes none. */
function callIn(
  message: WireObject,
  { request, caller, permission }: PermittedClient,
  watch: WatchMessage | null,
): ToolCall | null {
  const { id, method, params } = message
  if (id === undefined || method !== 'tools/call' || !isObject(params) || typeof params.name !== 'string')
    return null
  const { name, arguments: args = {}, _meta: meta = {} } = params
  if (!isObject(args) || !isObject(meta)) return null
  let begun: WatchedMessage | null = null
  const client = {
    ...{ request, caller, permission },
    // asked for by the record of a refusal alone: what passes is watched where it is served
    get watched() {
      begun ??= watch?.({ request, message }) ?? null
      return begun
    },
  }
  const wire = { era: 'legacy', id: JSON.stringify(id), meta, sendProgress: null, retry: null } as const
  return toolCallFrom({ name, args }, client, wire)
}
