/** Whether people could sign in by a provider, as far as that shows without a person: for `acmcp doctor --sign-in`. */
import type { Clock, RandomBytes } from '../../contract/store.ts'
import { newLogin } from '../session.ts'
import { TookTooLong } from './in-time.ts'
import { createOpenIdConnect } from './openid-connect.ts'
import { type ProviderConfig, resolveProvider } from './presets.ts'
import { fetchKeySet } from './provider-signing.ts'
import { type ProviderTrouble, providerTroubleOf, troubleWords } from './provider-trouble.ts'

export interface ExamineOptions {
  readonly baseUrl: string
  readonly timeoutMs: number
  readonly clock: Clock
  readonly randomBytes: RandomBytes
}

export interface ExaminedProvider {
  readonly name: string
  /** Null = none was found. */
  readonly trouble: ProviderTrouble | null
  readonly words: string
}

const skewMs = 60_000

/** Null for one that publishes nothing to be examined (GitHub). Never rejects. */
export async function examineProvider(
  name: string,
  config: ProviderConfig,
  options: ExamineOptions,
): Promise<ExaminedProvider | null> {
  const provider = resolveProvider(name, config)
  if (provider.kind !== 'oidc') return null
  const callback = `${options.baseUrl}/auth/${encodeURIComponent(name)}/callback`
  const protocol = createOpenIdConnect(provider, { callback, timeoutSeconds: options.timeoutMs / 1000 })
  const trouble = await firstTrouble(protocol, newLogin(name, options), options).catch(
    (error: unknown) => providerTroubleOf(error) ?? 'answer',
  )
  return { name, trouble, words: trouble === null ? '' : troubleWords[trouble] }
}

/** Discovery, keys, clock, the callback, and our own credentials. */
async function firstTrouble(
  protocol: ReturnType<typeof createOpenIdConnect>,
  login: ReturnType<typeof newLogin>,
  { timeoutMs, clock }: ExamineOptions,
): Promise<ProviderTrouble | null> {
  const { jwksUri } = await protocol.published()
  const { date } = await fetchKeySet(jwksUri, timeoutMs).catch((error: unknown) => {
    throw providerTroubleOf(error) === null ? new KeysMissing() : error
  })
  if (date !== null && Math.abs(date - clock()) > skewMs) return 'clock'
  if (await refusesCallback(await protocol.authorizationUrl(login, null), timeoutMs)) return 'redirect-uri'
  await protocol.tryCredentials()
  return null
}

/** As `providerTroubleOf` knows it. */
class KeysMissing extends Error {
  readonly code = 'OAUTH_KEY_SELECTION_FAILED'
}

/** A provider shows that to the person, in words and by ways of its own: these are what well-known ones write. */
const refusals =
  /redirect_uri_mismatch|invalid_redirect_uri|AADSTS50011|redirect_?uri.{0,80}(did not match|mismatch|not registered|invalid)|invalid.{0,40}redirect_?uri/is

async function refusesCallback(address: string, timeoutMs: number): Promise<boolean> {
  const response = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
  if (response.status >= 500) throw new TookTooLong('the authorization endpoint fails')
  if (response.status >= 400) return true
  return refusals.test(`${response.headers.get('location')} ${(await response.text()).slice(0, 100_000)}`)
}
