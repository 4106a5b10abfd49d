/** What a provider signs without having been asked in a sign-in: whose it is, and by which keys that is found. Source: OpenID Connect
 *  Discovery, 3 (`jwks_uri`). */
import type { Clock, Logger } from '../../contract/store.ts'
import { FetchedKeys, maxKeySetBytes } from '../assertions/fetched-keys.ts'
import type { ClientKeys } from '../assertions/verifying-keys.ts'
import { type DiscoveredProvider, isInsecureAllowed } from './sign-in-protocol.ts'

export interface ProviderSigning {
  /** What we are called there. */
  readonly clientId: string
  /** To the letter. Rejects when the provider cannot be asked; after its keys were found it need not be. */
  issuer(): Promise<string>
  readonly keys: ClientKeys
}

export interface SigningDependencies {
  readonly timeoutMs: number
  readonly clock: Clock
  readonly monotonic?: Clock | undefined
  readonly log: Logger
}

export function providerSigning(
  { name, clientId }: { readonly name: string; readonly clientId: string },
  published: () => Promise<DiscoveredProvider>,
  { timeoutMs, clock, monotonic, log }: SigningDependencies,
): ProviderSigning {
  const read = async (): Promise<Uint8Array> =>
    (await fetchKeySet((await published()).jwksUri, timeoutMs)).bytes
  return {
    clientId,
    issuer: async () => (await published()).issuer,
    keys: new FetchedKeys({ whose: 'provider', fields: { provider: name }, read }, { clock, monotonic, log }),
  }
}

/** A configured provider may be in a private network: it is reached as for a sign-in. */
export async function fetchKeySet(
  address: string,
  timeoutMs: number,
): Promise<{ readonly bytes: Uint8Array; readonly date: number | null }> {
  if (!address.startsWith('https:') && !isInsecureAllowed(address)) throw new Error('jwks_uri is not https')
  const response = await fetch(address, {
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: { accept: 'application/json' },
  })
  const { status, body, headers } = response
  if (status !== 200) throw new Error(`the answer is ${status}`, { cause: response })
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > maxKeySetBytes) throw new Error('the answer is too long')
    parts.push(part)
  }
  const date = Date.parse(headers.get('date') ?? '')
  return { bytes: Buffer.concat(parts), date: Number.isNaN(date) ? null : date }
}
