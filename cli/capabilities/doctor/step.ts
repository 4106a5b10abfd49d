/** What a step of the walk needs, what it is given, and what it comes to. */
import type { HostsByReach } from './hosts/known-hosts.ts'
import type { JsonRecord, ReadAnswer, Sent } from './request.ts'
import { addressOf, type Trouble } from './troubles.ts'

/** What a step may need. */
export type Condition = 'protection' | 'resource' | 'server' | 'admission' | 'tools'

/** Why what a step needs is not there; null = it is. */
const whyMissing: Readonly<Record<Condition, (known: Known) => string | null>> = {
  protection: ({ access }) => (access === 'open' ? 'not needed: the endpoint is open' : null),
  resource: ({ resource }) => (resource === null ? 'the server offers no sign-in' : null),
  server: ({ server }) => (server === null ? '' : null),
  admission: ({ access, token }) => (access === 'open' || token !== null ? null : 'no token'),
  tools: ({ tools }) => (tools === null ? 'no list' : null),
}

/** Why a step is not tried; null = it is. */
export const whySkipped = (needs: readonly Condition[], known: Known): string | null =>
  needs.map((need) => whyMissing[need](known)).find((why) => why !== null) ?? null

/** One step under way; what it needs is known. */
export interface Visit<Has extends Condition = never> {
  readonly known: Known & { readonly [Name in Has & keyof Known]: NonNullable<Known[Name]> }
  readonly options: DoctorOptions
  /** Aborts when the time of a step is over. */
  readonly signal: AbortSignal
  /** Rejects when nothing answers in the time of a step. */
  readonly ask: (sent: Sent) => Promise<ReadAnswer>
  /** What the answers so far said of the time. */
  readonly times: readonly ServerTime[]
}

export interface DoctorOptions {
  /** The endpoint, or with the path `/` the server. */
  readonly url: URL
  /** Sent to the endpoint; null = one is got, if there is a way. */
  readonly token: string | null
  /** Shows the operator the address where to sign in; null = no operator is there. */
  readonly showSignIn: ((address: URL) => void) | null
  /** Asks the identity providers of the application in this folder; null = it is another's, or there is no sign-in. */
  readonly examineProviders: (() => Promise<readonly AskedProvider[]>) | null
  /** Authorities (PEM) that are trusted besides the public ones; null = none. */
  readonly ca: string | null
  /** The clients that people have, of which is told what the server would refuse. */
  readonly hosts: HostsByReach
  /** Of each request, and of the first bytes of a stream. */
  readonly timeoutMs: number
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

/** What an identity provider was found to be. */
export interface AskedProvider {
  readonly name: string
  /** A name of it; null = none. */
  readonly trouble: string | null
  readonly words: string
}

/** In milliseconds since the epoch. */
export interface ServerTime {
  readonly said: number
  readonly heard: number
}

/** What earlier steps found out; null = not known. */
export interface Known {
  /** Where the MCP endpoint is. */
  readonly endpoint: URL
  /** How it answers without a credential. */
  readonly access: 'open' | 'protected' | null
  /** The 401, and what its challenge says. */
  readonly refused: { readonly answer: ReadAnswer; readonly challenge: Challenge | null } | null
  readonly resource: ResourceDocument | null
  readonly server: ServerDocument | null
  readonly client: RegisteredClient | null
  /** The page on which the authorization begins. */
  readonly signInPage: PendingSignIn | null
  readonly token: BearerToken | null
  /** The session that `initialize` opened; null also where the server has none. */
  readonly session: string | null
  /** What `initialize` agreed on. */
  readonly revision: string | null
  /** Whether `initialize` and `server/discover` were answered. */
  readonly speaks: { readonly legacy: boolean; readonly modern: boolean }
  readonly tools: readonly JsonRecord[] | null
}

/** The parameters of a `Bearer` challenge. Source: RFC 6750, 3; RFC 9728, 5.1. */
export interface Challenge {
  readonly resourceMetadata: string | null
  readonly scope: string | null
  readonly error: string | null
}

/** Source: RFC 9728, 2. */
export interface ResourceDocument {
  readonly resource: string
  readonly authorizationServer: string
}

/** Source: RFC 8414, 2. */
export interface ServerDocument {
  readonly issuer: string
  readonly authorizationEndpoint: URL
  readonly tokenEndpoint: URL
  readonly registrationEndpoint: URL | null
  readonly revocationEndpoint: URL | null
  readonly challengeMethods: readonly string[] | null
  /** At the token endpoint. */
  readonly authenticationMethods: readonly string[]
  readonly takesClientDocuments: boolean
  /** Whether each return of a browser names the issuer. Source: RFC 9207, 3. */
  readonly namesIssuer: boolean
}

export interface RegisteredClient {
  readonly id: string
  readonly redirectUri: string
}

/** An authorization that waits for a person. */
export interface PendingSignIn {
  readonly server: ServerDocument
  readonly client: RegisteredClient
  readonly address: URL
  readonly verifier: string
  readonly state: string
  /** Where it led, with the cookies that it set. */
  readonly page: ReadAnswer
  readonly cookies: ReadonlyMap<string, string>
}

export interface BearerToken {
  readonly text: string
  /** Whether the walk got it, and gives it back. */
  readonly isOwn: boolean
}

/** What a step comes to. */
export type Finding =
  | { readonly state: 'ok'; readonly detail: string; readonly learned: Partial<Known> }
  | {
      readonly state: 'failed'
      readonly detail: string
      readonly trouble: Trouble
      /** Whether nothing can be tried behind it. */
      readonly isEnd: boolean
      readonly learned: Partial<Known>
    }
  | { readonly state: 'not tried'; readonly detail: string }

export const ok = (detail: string, learned: Partial<Known> = {}): Finding => ({
  state: 'ok',
  detail,
  learned,
})

/** What follows does not need it; `at` is the answer, or other words for the place. */
export const wrong = (
  at: ReadAnswer | string,
  trouble: Trouble,
  learned: Partial<Known> = {},
): Finding & { readonly state: 'failed' } => ({
  state: 'failed',
  detail: typeof at === 'string' ? at : answered(at),
  trouble,
  isEnd: false,
  learned,
})

/** Ends the walk. */
export const broken = (at: ReadAnswer | string, trouble: Trouble): Finding => ({
  ...wrong(at, trouble),
  isEnd: true,
})

export const notTried = (detail: string): Finding => ({ state: 'not tried', detail })

/** `POST https://api.example.org/mcp answered 401`. */
export const answered = ({ method, url, status }: ReadAnswer): string =>
  `${method} ${addressOf(url)} answered ${status}`
