/** What the reference adds to a diagnostic's own message and hint. Imports nothing of ours. */
export interface Explanation {
  /** What it means, and why the build insists. */
  readonly meaning: string
  /** Source text that raises it: members of a controller, or whole files, each after a line `// path`. The tests compile
   *  it. Absent where it is not the sources that are wrong. */
  readonly wrong?: string
  /** The same, mended. */
  readonly right?: string
}

export type Explanations = Readonly<Record<string, Explanation>>
