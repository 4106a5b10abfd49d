/** The clients that people have. What no public source tells of one is `not published`; clients of which nothing is are absent. */
import type { KnownHost } from './host.ts'
import { hostedClients } from './hosted-clients.ts'
import { localClients } from './local-clients.ts'

export const knownHosts: readonly KnownHost[] = [...localClients, ...hostedClients]
