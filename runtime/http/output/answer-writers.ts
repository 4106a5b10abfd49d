/** What writes the answers of a route: by their declared types, or as they are. Source: decisions/http.md, Answers by type. */
import type { AnswerType, DeclaredAnswers } from '../../contract/answer-type.ts'
import type { HttpRequest } from '../../contract/http.ts'
import { type Difference, declaredJson, declaredPart, isDeclared, type Omission } from './declared-json.ts'
import { toJsonText } from './json-text.ts'

/** Writes a value that a method or an exception handler has returned or rendered. */
export interface AnswerWriter {
  readonly json: (value: unknown) => string
  /** What is written of it, for a responder. */
  readonly part: (value: unknown) => unknown
}

/** Of what no type is declared. */
export const asItIs: AnswerWriter = { json: toJsonText, part: (value) => value }

/** Who gets an answer: `delegated` without what is `@secret`, `mcp` also with what is hidden in `@untrusted` text spelled out. */
export type Audience = 'all' | 'delegated' | 'mcp'

export interface WriterSettings {
  /** `whole`: what no type declares leaves too. */
  readonly answers: 'declared' | 'whole'
  readonly audienceOf: (request: HttpRequest) => Audience
  /** Told of each difference between a value and its type; null = nobody is (production). */
  readonly tell: ((difference: Difference) => void) | null
}

type Writers = Readonly<Record<Audience, AnswerWriter>>

type ByStatus = ReadonlyMap<number, Writers>

/** Those of one method or exception handler. */
export class AnswerWriters {
  readonly #returned: ByStatus
  readonly #rendered: ByStatus
  /** Of what nothing is declared: it keeps the secrets that the others declare. */
  readonly #further: Writers
  readonly #audienceOf: WriterSettings['audienceOf']

  constructor({ returned, rendered }: DeclaredAnswers, settings: WriterSettings) {
    this.#returned = writersOf(returned, settings)
    this.#rendered = writersOf(rendered, settings)
    const members = [...returned.values(), ...rendered.values()]
    this.#further = byAudience(
      { kind: 'union', members, tag: null },
      { ...settings, answers: 'whole', tell: null },
    )
    this.#audienceOf = settings.audienceOf
  }

  /** Of what was returned, and is sent with `status`. */
  returned(status: number, request: HttpRequest): AnswerWriter {
    return this.#writer(this.#returned, status, request)
  }

  /** Of what was rendered with `status`. */
  rendered(status: number, request: HttpRequest): AnswerWriter {
    return this.#writer(this.#rendered, status, request)
  }

  #writer(writers: ByStatus, status: number, request: HttpRequest): AnswerWriter {
    return (writers.get(status) ?? this.#further)[this.#audienceOf(request)]
  }
}

const writersOf = (types: DeclaredAnswers['returned'], settings: WriterSettings): ByStatus =>
  new Map([...types].map(([status, type]) => [status, byAudience(type, settings)]))

function byAudience(type: AnswerType, { answers, tell }: WriterSettings): Writers {
  const undeclared = answers === 'declared'
  const open = { undeclared, secrets: false, hidden: false }
  return {
    all: undeclared ? writer(type, open, tell) : asItIs,
    delegated: writer(type, { ...open, secrets: true }, tell),
    mcp: writer(type, { ...open, secrets: true, hidden: true }, tell),
  }
}

/** A responder gets the value itself where all of it is declared. In development every value is walked as a whole, to be told of. */
function writer(type: AnswerType, omission: Omission, tell: WriterSettings['tell']): AnswerWriter {
  const copy = (value: unknown): unknown => declaredPart(value, type, omission, tell)
  const part = (value: unknown): unknown => {
    const isWhole = !omission.secrets && isDeclared(value, type, omission)
    if (!isWhole) return copy(value)
    if (tell !== null) copy(value)
    return value
  }
  const json = (value: unknown): string =>
    tell === null ? declaredJson(value, type, omission) : toJsonText(copy(value))
  return { part, json }
}
