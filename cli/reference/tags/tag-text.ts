/** What the reference says of a word of the controller language. Imports nothing of ours. */
export interface TagText {
  readonly syntax: string
  /** On what it may stand. */
  readonly where: string
  readonly meaning: string
  /** Members of a controller, or a whole file; the tests compile it. */
  readonly example: string
}
