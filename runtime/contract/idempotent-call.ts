/** The key of one call, as its method has it. */
export interface IdempotentCall {
  /** Null = the call has none. */
  readonly key: string | null
  /** Marks the key as done within `transaction`, a handle of `databaseOf(services)`: when that commits, a client that repeats the call gets
   *  `answer`, what the method is to return or has rendered, whatever becomes of this process. Rejects, so that the transaction
   *  ends with nothing done, where another call has the key by now. Does nothing without a key. */
  in(transaction: object, answer: unknown): Promise<void>
}
