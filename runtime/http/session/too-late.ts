/** Sessions whose cookie can reach no client: the head of the answer has left. */
import type { Session } from '../../contract/http.ts'

export class SessionTooLate extends Error {
  constructor(name: string) {
    super(`the session cannot keep '${name}': the answer has begun, and a new session needs its cookie`)
    this.name = 'SessionTooLate'
  }
}

/** That of a request without a cookie, whose answer has left. */
export const lateSession: Session = {
  get: () => undefined,
  set: refuse,
  remove: () => {},
  regenerate: async () => {},
  assertKept: refuse,
}

function refuse(name: string): never {
  throw new SessionTooLate(name)
}
