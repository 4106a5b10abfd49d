/** The end of an answer about toolboxes: what more permission would give, so that a model can have its user asked for it. Source:
 *  decisions/mcp.md, Scopes. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { MaybePromise } from '../../contract/http.ts'
import type { AuthInfo, Logger, Services } from '../../contract/store.ts'
import { havableBy, type Scopes } from '../../scopes.ts'
import { isObject } from '../protocol/constants.ts'
import { type Lacking, morePermission } from './lacking.ts'
import type { PermittedClient } from './permission.ts'

export interface StepUpOptions {
  /** What the application declares. */
  readonly scopes: Scopes
  readonly services: Services
  readonly log: Logger
  /** Whether a call without permission is answered over HTTP, which makes a client ask. */
  readonly authenticates: boolean
}

/** The answer with what the caller lacks, as far as its user can be asked for it. Rejects when the store cannot be asked now. */
export type TellMore = (
  result: CallToolResult,
  lacking: readonly Lacking[],
  client: PermittedClient,
) => MaybePromise<CallToolResult>

export function createStepUp(options: StepUpOptions): TellMore {
  return async (result, lacking, client) => {
    const offered = await offeredTo(client, lacking, options)
    if (offered.length === 0) return result
    const more = offered.map(morePermission)
    const { structuredContent } = result
    const value = { ...(isObject(structuredContent) ? structuredContent : {}), morePermission: more }
    const challenges = options.authenticates && client.permission.holder.scopes !== null
    return {
      content: [
        { type: 'text', text: JSON.stringify(value) },
        { type: 'text', text: challenges ? callToAsk : signIn },
      ],
      structuredContent: value,
    }
  }
}

const callToAsk =
  "The tools in 'morePermission' need permission that this client does not have yet. Call one, and the user is asked for it."
const signIn = "The tools in 'morePermission' need a sign-in that gives this permission."

/** Scopes that the user may not have are left out. For an unknown user all are listed. */
async function offeredTo(
  client: PermittedClient,
  lacking: readonly Lacking[],
  { scopes, services, log }: StepUpOptions,
): Promise<readonly Lacking[]> {
  const holder = await holderOf(client, services)
  if (holder === null) return lacking
  const names = [...new Set(lacking.flatMap(({ scopes }) => scopes.map(({ name }) => name)))]
  const havable = await havableBy(holder, names, { scopes, services, log })
  return lacking.filter(({ scopes }) => scopes.every(({ name }) => havable.includes(name)))
}

async function holderOf(
  { request, caller: { auth }, permission }: PermittedClient,
  services: Services,
): Promise<Pick<AuthInfo, 'user' | 'mayHave'> | null> {
  if (auth !== null) return auth
  const isSession = permission.holder.others.includes('session')
  const user = isSession ? await services.userOfSession(request.session) : null
  return user === null ? null : { user }
}
