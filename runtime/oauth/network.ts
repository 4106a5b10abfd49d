/** How the authorization server reaches others. An argument of the composition, so that tests stay on loopback. */
import { Resolver } from 'node:dns/promises'

export interface Network {
  /** Every IP address of a host name. */
  readonly resolve: (host: string) => Promise<readonly string[]>
  /** PEM; null = the certificate authorities that Node trusts. */
  readonly certificateAuthorities: readonly string[] | null
  /** For the whole fetch of a client metadata document. Source: rules.md, OAuth. */
  readonly documentTimeoutMs: number
  /** For everything that one step of a sign-in asks the provider; the answer is due within ten seconds. */
  readonly providerTimeoutMs: number
}

/** The internet. Names are asked of the name servers only: an entry of the local hosts file is no public address. */
export const internet: Network = {
  resolve,
  certificateAuthorities: null,
  documentTimeoutMs: 5_000,
  providerTimeoutMs: 9_000,
}

async function resolve(host: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}
