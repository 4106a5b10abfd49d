/** A reason not to start, in one line that says what to do. Imports nothing of ours. */
export class BootError extends Error {
  override readonly name = 'BootError'
}
