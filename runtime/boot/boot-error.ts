/** Reasons not to start, one line each, that say what to do. Imports nothing of ours. */
export class BootError extends Error {
  override readonly name = 'BootError'
}
