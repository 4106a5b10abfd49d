/** What the build knows of the answers of a route, for people: `.acmcp/answers.json` is a list of it. */
export interface AnswerFacts {
  /** The `Route.id`. */
  readonly route: string
  /** What leaves, shortly: names of types, names of properties. */
  readonly type: string
  /** No return type is written. */
  readonly isInferred: boolean
  /** Where its secret properties are, names with dots between: models do not get them. */
  readonly leavesOut: readonly string[]
  readonly whole: readonly WholePart[]
}

/** What leaves as it is, whatever it holds. */
export interface WholePart {
  /** Names with dots between; empty = the answer itself. */
  readonly path: string
  readonly why: string
}
