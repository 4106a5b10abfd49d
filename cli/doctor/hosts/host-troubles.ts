/** Why a server refuses a client that people have, and what its owner can set. */
import { type Trouble, trouble } from '../troubles.ts'

const compatible = "Set oauth: { profile: 'compatible' } in app/config.ts."

/** `what` it asks for that the server does not have. */
export const metadataRefused = (what: string, says: string): Trouble =>
  trouble(`It registers ${what}, which the server refuses (${says}).`, compatible)

export const scopeRefused = (scope: string, says: string): Trouble =>
  trouble(`It asks for the scope ${scope}, which the server refuses (${says}).`, compatible)

export const secretsUnknown = (): Trouble =>
  trouble(
    'It comes with a client id and a secret that its owner enters, and the server knows no client with a secret.',
    "Name it in oauth.confidentialClients, which needs oauth: { profile: 'compatible' }.",
  )

/** Null = no answer at all. */
export const documentUnreachable = (url: string, status: number | null): Trouble =>
  trouble(
    `The server cannot fetch its document ${url}, which ${status === null ? 'does not answer' : `answers ${status}`} here too.`,
    "Ask again from the server's own network; with clientIdMetadataDocuments: false the client registers itself instead.",
  )

export const documentRefused = (url: string, says: string): Trouble =>
  trouble(
    `The server does not take its document ${url}, which can be read from here (${says}).`,
    'Look at its log: it may be that its network lets no requests out, or that this host refuses its address.',
  )
