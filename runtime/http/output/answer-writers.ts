/** What writes the answers of a route: by their declared types, or as they are. Source: decisions/http.md, Answers by type. */
import type { AnswerType, DeclaredAnswers } from '../../contract/answer-type.ts'
import type { HttpRequest } from '../../contract/http.ts'
import { type Difference, declaredJson, declaredPart, type Omission } from './declared-json.ts'
import { toJsonText } from './json-text.ts'

/** Writes a value that a method or an exception handler has returned or rendered. */
export interface AnswerWriter {
  readonly json: (value: unknown) => string
  /** What is written of it, for a responder. */
  readonly part: (value: unknown) => unknown
}

/** Of what no type is declared. */
export const asItIs: AnswerWriter = { json: toJsonText, part: (value) => value }

export interface WriterSettings {
  /** `whole`: what no type declares leaves too. */
  readonly answers: 'declared' | 'whole'
  /** Whether properties that are `@secret` are left out of the answer to a request. */
  readonly omitsSecrets: (request: HttpRequest) => boolean
  /** Told of each difference between a value and its type; null = nobody is (production). */
  readonly tell: ((difference: Difference) => void) | null
}

interface Writers {
  readonly all: AnswerWriter
  readonly withoutSecrets: AnswerWriter
}

type ByStatus = ReadonlyMap<number, Writers>

/** Those of one method or exception handler. */
export class AnswerWriters {
  readonly #returned: ByStatus
  readonly #rendered: ByStatus
  /** Of what nothing is declared: it keeps the secrets that the others declare. */
  readonly #further: Writers
  readonly #omitsSecrets: WriterSettings['omitsSecrets']

  constructor({ returned, rendered }: DeclaredAnswers, settings: WriterSettings) {
    this.#returned = writersOf(returned, settings)
    this.#rendered = writersOf(rendered, settings)
    const members = [...returned.values(), ...rendered.values()]
    this.#further = bothWriters(
      { kind: 'union', members, tag: null },
      { ...settings, answers: 'whole', tell: null },
    )
    this.#omitsSecrets = settings.omitsSecrets
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
    const found = writers.get(status) ?? this.#further
    return this.#omitsSecrets(request) ? found.withoutSecrets : found.all
  }
}

const writersOf = (types: DeclaredAnswers['returned'], settings: WriterSettings): ByStatus =>
  new Map([...types].map(([status, type]) => [status, bothWriters(type, settings)]))

function bothWriters(type: AnswerType, { answers, tell }: WriterSettings): Writers {
  const undeclared = answers === 'declared'
  return {
    all: undeclared ? writer(type, { undeclared, secrets: false }, tell) : asItIs,
    withoutSecrets: writer(type, { undeclared, secrets: true }, tell),
  }
}

/** In development every value is walked as a whole, to be told of. */
function writer(type: AnswerType, omission: Omission, tell: WriterSettings['tell']): AnswerWriter {
  const part = (value: unknown): unknown => declaredPart(value, type, omission, tell)
  return {
    part,
    json: tell === null ? (value) => declaredJson(value, type, omission) : (value) => toJsonText(part(value)),
  }
}
