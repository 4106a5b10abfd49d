/** What the reference says of a word of the controller language. Imports nothing of ours. */
export interface TagText {
  readonly meaning: string
  /** Members of a controller, or a whole file; the tests compile it. */
  readonly example: string
}
