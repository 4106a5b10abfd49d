/** The guards of a batch: all of them run before its first call. Source: issue 15, MCP. */
import type { Scopes } from '../../scopes.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'
import type { Refusal } from '../protocol/http-refusal.ts'
import type { NamedCall } from '../tools/tool-answer.ts'
import type { Tools } from '../tools/tools.ts'
import type { PermittedClient } from './permission.ts'

/** Why the whole batch is refused, or null. */
export type GuardBatch = (messages: readonly WireObject[], client: PermittedClient) => Promise<Refusal | null>

/** One refusal refuses all; the challenge names what all calls need, so that a client has to ask but once. Null where no scopes are
 *  declared, or a refusal is a failed call. */
export function createBatchGuards(
  tools: Pick<Tools, 'guarded'>,
  { scopes, authenticates }: { readonly scopes: Scopes; readonly authenticates: boolean },
): GuardBatch | null {
  if (!authenticates || scopes.declared.length === 0) return null
  return async (messages, client) => {
    const needed = new Set<string>()
    const refusals: Refusal[] = []
    for (const call of messages.flatMap((message) => callIn(message, client) ?? [])) {
      const guarded = tools.guarded(call)
      const refusal = (await guarded?.refusal()) ?? null
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
function callIn(message: WireObject, { request, caller, permission }: PermittedClient): NamedCall | null {
  const { id, method, params } = message
  if (id === undefined || method !== 'tools/call' || !isObject(params) || typeof params.name !== 'string')
    return null
  const { name, arguments: args = {}, _meta: meta = {} } = params
  if (!isObject(args) || !isObject(meta)) return null
  const wire = { era: 'legacy', meta, sendProgress: null, retry: null } as const
  return { name, args, sent: args, client: request, caller, permission, message: wire }
}
