/** The clients that people have. What no public source tells of one is `not published`; clients of which nothing is are absent. */
import { isLoopbackUrl } from '../../../runtime/loopback.ts'
import type { KnownHost } from './host.ts'
import { hostedClients } from './hosted-clients.ts'
import { localClients } from './local-clients.ts'

export const knownHosts: readonly KnownHost[] = [...localClients, ...hostedClients]

/** None at a loopback address: clients elsewhere do not reach it, and the walk itself is one of this machine. */
export const hostsReaching = (url: URL): readonly KnownHost[] => (isLoopbackUrl(url.href) ? [] : knownHosts)
