/** What an optional part of the server does in the authorization server. */
import type { Html } from '../../templates/html.ts'
import type { Endpoint, HttpRequest, HttpResponse } from '../contract/http.ts'
import type { User } from '../contract/store.ts'
import type { AuthorizationServerOptions } from './options.ts'
import type { Providers } from './providers/provider.ts'
import type { SignedIn } from './session.ts'
import type { TokenPart } from './token-part.ts'

/** The authorization server as its parts see it. */
export interface ServerRoom {
  readonly options: AuthorizationServerOptions
  readonly providers: Providers
}

/** A sign-in that has come back from its provider, and was begun for another end than to sign a user in. */
export interface FinishedSignIn extends ServerRoom {
  readonly request: HttpRequest
  /** The user whom the provider names; rejects with what it came to. */
  readonly identify: () => Promise<SignedIn>
  /** What was kept with it (`PendingLogin.purpose`). */
  readonly kept: unknown
}

/** What came of one tool lately. */
export interface CalledTool {
  readonly grantId: string
  readonly tool: string
  readonly count: number
}

export interface AuthorizationServerPart extends TokenPart {
  /** For people: limited by `authorizePerHour`, on our own host, with error pages where the profile shows them. */
  readonly pages?: (room: ServerRoom) => readonly Endpoint[]
  /** What a sign-in comes to that was begun for this part, by the name of its purpose. */
  readonly signIns?: ReadonlyMap<string, (finished: FinishedSignIn) => Promise<HttpResponse>>
  /** Whether the address is one of its pages, to which the browser may return when the user has signed out there. */
  readonly isReturnAddress?: (address: string) => boolean
  /** For the Connections page: which tools were called by each of these grants since then and were let through, the most often called
   *  first. */
  readonly calledTools?: (grantIds: readonly string[], since: number) => Promise<readonly CalledTool[]>
  /** A section of the Connections page. */
  readonly inbox?: (user: User) => Promise<Html>
}
