/** The clients that people have. What no public source tells of one is `not published`; clients of which nothing is are absent. */
import { isLoopbackUrl } from '../../../runtime/loopback.ts'
import type { KnownHost } from './host.ts'
import { hostedClients } from './hosted-clients.ts'
import { localClients } from './local-clients.ts'

export const knownHosts: readonly KnownHost[] = [...localClients, ...hostedClients]

/** By whether they reach a server. */
export interface HostsByReach {
  /** These are asked for. */
  readonly near: readonly KnownHost[]
  /** These are named in one line. */
  readonly far: readonly KnownHost[]
}

/** A loopback address is reached by the clients of its own machine alone. */
export const hostsByReach = (url: URL): HostsByReach =>
  isLoopbackUrl(url.href) ? { near: localClients, far: hostedClients } : { near: knownHosts, far: [] }
