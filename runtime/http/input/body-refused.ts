/** A hook of a plugin refuses the body that it decodes or looks at: answered as it says, before any handler. */
export class BodyRefused extends Error {
  readonly status: number
  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}
