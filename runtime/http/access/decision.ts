/** What a guard has decided about a request, for the line in the log: never the token. */

/** In the words of a tool call's line. */
export interface Decision {
  readonly decision: 'allowed' | 401 | 403
  /** What the valid token grants; null without one. */
  readonly scopes: readonly string[] | null
}

/** A request of the transport, which has a line of its own. */
export interface LoggedRequest {
  noteDecision(decision: Decision): void
}

/** Tells the request, where it is one that a line is written for: a tool call is part of another. */
export function noteDecision(request: object, decision: Decision): void {
  if (isLogged(request)) request.noteDecision(decision)
}

const isLogged = (request: object): request is LoggedRequest => 'noteDecision' in request

/** On the object itself: a WeakMap with an entry for each request costs the garbage collector microseconds. */
const decided = Symbol('decision')

interface Decided {
  [decided]?: Decision
}

/** Keeps it with the request of the server. */
export function keepDecision(request: object, decision: Decision): void {
  ;(request as Decided)[decided] = decision // only this file knows the symbol
}

/** Null where no guard judged. */
export const decisionOn = (request: object): Decision | null => (request as Decided)[decided] ?? null
