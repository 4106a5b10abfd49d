/** What a declared type says of an answer: which properties it has, and what each of them is. */
// Source: decisions/http.md, Answers by type.

export type AnswerType =
  /** Says nothing: `unknown`, a schema of the application's own. */
  | { readonly kind: 'whole' }
  /** No property at all. `accepts`: whether a value is of its kind. */
  | { readonly kind: 'scalar'; readonly accepts: (value: unknown) => boolean }
  | {
      readonly kind: 'list'
      /** Of the first places; what follows is of `items`, or of no type where that is null. */
      readonly places: readonly AnswerType[]
      readonly items: AnswerType | null
    }
  | AnswerObject
  | AnswerUnion
  /** A named type, which may hold itself. */
  | { readonly kind: 'ref'; readonly type: () => AnswerType }

export interface AnswerObject {
  readonly kind: 'object'
  readonly properties: ReadonlyMap<string, AnswerProperty>
  /** What a name that is no property holds, by index signatures; of the name null what any does. Null = there are none. */
  readonly others: ((name: string | null) => AnswerType | null) | null
}

export interface AnswerProperty {
  readonly type: AnswerType
  readonly isRequired: boolean
  /** Left out of answers to callers with delegated credentials (`@secret`). */
  readonly isSecret: boolean
  /** Others wrote the text of it, and of all that is below (`@untrusted`). */
  readonly isUntrusted: boolean
  /** Left out of every answer (`@Exclude()`). */
  readonly isWithheld: boolean
}

export interface AnswerUnion {
  readonly kind: 'union'
  readonly members: readonly AnswerType[]
  /** The property whose value tells the member; null = none does. */
  readonly tag: { readonly name: string; readonly members: ReadonlyMap<unknown, AnswerType> } | null
}

/** What is declared of the answers of a method or an exception handler, by status. A status that is absent: nothing. */
export interface DeclaredAnswers {
  /** Of the value that it returns. */
  readonly returned: ReadonlyMap<number, AnswerType>
  /** Of the value that it renders as JSON or YAML (`@returns {T} status`). */
  readonly rendered: ReadonlyMap<number, AnswerType>
}
