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

/** The readers of an answer: `delegated` without what is `@secret`, `mcp` also with what is hidden in `@untrusted` text spelled out. */
export type Audience = 'all' | 'delegated' | 'mcp'

export interface WriterSettings {
  /** The route's answers have names that are withheld from all. */
  readonly withholds: boolean
  /** `whole`: what no type declares leaves too. */
  readonly answers: 'declared' | 'whole'
  readonly audienceOf: (request: HttpRequest) => Audience
  /** Told of each difference between a value and its type; null = no check (production). */
  readonly tell: ((difference: Difference) => void) | null
}

const omissions: Readonly<Record<Audience, Pick<Omission, 'secrets' | 'hidden'>>> = {
  all: { secrets: false, hidden: false },
  delegated: { secrets: true, hidden: false },
  mcp: { secrets: true, hidden: true },
}

/** Those of one method or exception handler, each made when it is first asked for. */
export class AnswerWriters {
  readonly #declared: DeclaredAnswers
  readonly #settings: WriterSettings
  readonly #made: Readonly<Record<Audience, Map<AnswerType | undefined, AnswerWriter>>> = {
    all: new Map(),
    delegated: new Map(),
    mcp: new Map(),
  }

  constructor(declared: DeclaredAnswers, settings: WriterSettings) {
    this.#declared = declared
    this.#settings = settings
  }

  /** Of what was returned, and is sent with `status`. */
  returned(status: number, request: HttpRequest): AnswerWriter {
    return this.#writer(this.#declared.returned.get(status), request)
  }

  /** Of what was rendered with `status`. */
  rendered(status: number, request: HttpRequest): AnswerWriter {
    return this.#writer(this.#declared.rendered.get(status), request)
  }

  /** Of what is kept for a later caller, of any audience. */
  kept(status: number, how: keyof DeclaredAnswers): AnswerWriter {
    return this.#writerFor('all', this.#declared[how].get(status))
  }

  #writer(type: AnswerType | undefined, request: HttpRequest): AnswerWriter {
    return this.#writerFor(this.#settings.audienceOf(request), type)
  }

  #writerFor(audience: Audience, type: AnswerType | undefined): AnswerWriter {
    const made = this.#made[audience]
    const known = made.get(type)
    if (known !== undefined) return known
    const writer = this.#make(type, audience)
    made.set(type, writer)
    return writer
  }

  /** Of what nothing is declared it keeps the secrets, and what is withheld, that the others declare. */
  #make(type: AnswerType | undefined, audience: Audience): AnswerWriter {
    const { answers, withholds, tell } = this.#settings
    const undeclared = answers === 'declared' && type !== undefined
    if (!undeclared && audience === 'all' && !withholds) return asItIs
    const { returned, rendered } = this.#declared
    const members = [...returned.values(), ...rendered.values()]
    const omission = { undeclared, withheld: withholds, ...omissions[audience] }
    return writerOf(type ?? { kind: 'union', members, tag: null }, omission, type === undefined ? null : tell)
  }
}

/** A responder gets the value itself where all of it is declared. In development every value is walked as a whole, to be told of. */
function writerOf(type: AnswerType, omission: Omission, tell: WriterSettings['tell']): AnswerWriter {
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
