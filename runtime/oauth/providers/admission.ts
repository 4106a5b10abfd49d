/** Whether the application lets in a user whom a provider has confirmed, and what it keeps with them (`onSignIn`). Source:
 *  decisions/oauth.md, Roles. */
import type { OnSignIn, SigningIn } from '../../contract/application.ts'
import { SignInRefused } from '../../errors.ts'
import { frozenJson } from '../../frozen-json.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { withAttributesOf } from '../../user-attributes.ts'
import { audit } from '../audit.ts'
import { toVisibleText } from '../clients/visible-text.ts'
import type { AuthorizationServerOptions } from '../options.ts'
import type { Admitted, SignedIn } from '../session.ts'
import { inTime } from './in-time.ts'

const maxBytes = 8 * 1024
const maxReason = 200

/** Rejects with `SignInRefused`, which stands in the audit then: what an earlier sign-in said of a refused user counts no more. With
 *  `StoreUnavailable` where the application's own question failed by that, and else with `onSignIn threw`. */
export async function admit(
  provider: string,
  someone: SignedIn,
  options: AuthorizationServerOptions,
): Promise<Admitted> {
  await refuseBlocked(provider, someone, options)
  if (options.onSignIn === null) return { ...someone, attributes: null }
  try {
    return { ...someone, attributes: await attributesFrom(options.onSignIn, provider, someone, options) }
  } catch (error) {
    if (!(error instanceof SignInRefused)) {
      const outage = outageIn(error)
      if (outage !== null) throw outage
      options.log.error({ provider, err: error }, 'onSignIn threw')
      throw new Error('onSignIn threw')
    }
    const reason = toVisibleText(error.message, maxReason)
    const facts = { provider, outcome: 'refused', reason }
    audit(options, 'sign-in', { ids: { user: someone.user.id }, facts })
    const isForgotten = await options.store.forgetAttributes(someone.user.id, someone.beganAt)
    if (isForgotten) options.onRevoked(someone.user.id)
    throw new SignInRefused(`onSignIn refused: ${reason}`)
  }
}

/** Also where the application has wrapped it. */
function outageIn(error: unknown, depth = 0): StoreUnavailable | null {
  if (error instanceof StoreUnavailable) return error
  return error instanceof Error && depth < 5 ? outageIn(error.cause, depth + 1) : null
}

/** The application is not asked about them. A user who is being erased leaves no trace any more. */
async function refuseBlocked(
  provider: string,
  { user }: SignedIn,
  options: AuthorizationServerOptions,
): Promise<void> {
  const standing = await options.store.findStanding(user.id)
  if (standing === null || standing.blockedAt === null) return
  const reason = 'the user is blocked'
  const ids = standing.erasedAs === null ? { user: user.id } : {}
  audit(options, 'sign-in', { ids, facts: { provider, outcome: 'refused', reason } })
  throw new SignInRefused(reason)
}

async function attributesFrom(
  onSignIn: OnSignIn,
  provider: string,
  { user, claims }: SignedIn,
  { services, providerTimeoutMs }: AuthorizationServerOptions,
): Promise<string | null> {
  const signingIn = {
    provider,
    claims: frozenJson(claims, 'claims') as SigningIn['claims'], // an object is one still
    user: Object.freeze(withAttributesOf({ ...user }, user)),
    services: services(),
  }
  const returned = await inTime((async () => onSignIn(signingIn))(), providerTimeoutMs, 'onSignIn')
  return attributesJson(returned)
}

/** What is kept of what an application hands over. Throws for what cannot be; messages hold nothing of it. */
export function attributesJson(returned: unknown): string | null {
  if (returned === null || returned === undefined) return null
  const attributes = frozenJson(returned, 'what it returned')
  if (typeof attributes !== 'object' || Array.isArray(attributes))
    throw new TypeError('what it returned is no object')
  const json = JSON.stringify(attributes)
  const bytes = Buffer.byteLength(json)
  if (bytes <= maxBytes) return json
  throw new RangeError(`what it returned has ${bytes} bytes of JSON, at most ${maxBytes} are kept`)
}
