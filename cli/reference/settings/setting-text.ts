/** What is told of one setting. */
export interface SettingText {
  readonly meaning: string
  /** A value, as TypeScript. */
  readonly example: string
  readonly unit?: string
  /** Where the resolved configuration has the value; absent = at the path itself. */
  readonly at?: string
  /** In words, where no value is the default. */
  readonly default?: string
}
