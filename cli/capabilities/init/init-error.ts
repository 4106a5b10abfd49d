/** Why `acmcp init` cannot go on; the message is for the user. */
export class InitError extends Error {}

/** Runs `work`; a failure of the file system is an `InitError` that begins with `what` and says what to do. */
export function explained<Result>(what: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const [reason] = error.message.split(',') // then the call and the path
    throw new InitError(`${what} (${reason}): look at its permissions, or name another folder`, {
      cause: error,
    })
  }
}
