/** What the last build of `acmcp dev` said, as its worker shows it. JSON, for it is sent from process to process. */

export type BuildReport =
  /** The first one is under way. */
  | { readonly kind: 'building' }
  /** With warnings, perhaps. */
  | { readonly kind: 'built'; readonly mistakes: readonly Mistake[] }
  | { readonly kind: 'failed'; readonly mistakes: readonly Mistake[] }
  /** It was built, and does not start. */
  | { readonly kind: 'refused'; readonly why: string }

export interface Mistake {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly message: string
  readonly hint: string
  /** `app/config.ts:3:5`; null = not shown, as outside of the application's folder. */
  readonly place: string | null
  readonly frame: MistakeFrame | null
}

export interface MistakeFrame {
  readonly lines: readonly { readonly number: number; readonly text: string }[]
  /** Which of them it is. */
  readonly line: number
  /** How many characters stand before the place. */
  readonly indent: number
}
