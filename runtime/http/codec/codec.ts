/** What the decoders that the compiler prints (`.acmcp/codecs.mjs`) are put together from: they import nothing else. A decoder
 *  returns the value, or a `DecodeError` with the dotted path. Public as `acmcp/codec`. */
import type { DeclaredAnswers } from '../../contract/answer-type.ts'
import type { Codec, ParamDecoder, ParamSource, RouteCodec } from '../../contract/route.ts'
import type { Decoder } from './decoder.ts'

export { textPattern } from '../../text-patterns.ts'
export type { Decoder } from './decoder.ts'
export * from './scalars.ts'
export { array, object, optional, record, secret, tuple, untrusted, withheld } from './structures.ts'
export { discriminated, union } from './unions.ts'
export { concealed, named, nullable, ref, refine, transform } from './wrappers.ts'

type Params = readonly ParamDecoder[]

const none: readonly never[] = []

/** How one argument is read: 1 = it is required, 0 and 2 = an absent one is undefined or null. */
export const param = (name: string, from: ParamSource, kind: 0 | 1 | 2, codec: Codec): ParamDecoder => ({
  name,
  from,
  required: kind === 1,
  absent: kind === 2 ? null : undefined,
  codec,
})

type ByStatus = Readonly<Record<number, Decoder>>

/** What is declared of answers, by status. */
export const answers = (returned: ByStatus, rendered: ByStatus = {}): DeclaredAnswers => ({
  returned: answerTypes(returned),
  rendered: answerTypes(rendered),
})

const answerTypes = (decoders: ByStatus): DeclaredAnswers['returned'] =>
  new Map(Object.entries(decoders).map(([status, { answer }]) => [Number(status), answer]))

/** The decoders of a route. */
export const route = (
  params: Params,
  filters: readonly Params[] = none,
  handlers: readonly Params[] = none,
  own?: DeclaredAnswers,
  handlerAnswers: readonly DeclaredAnswers[] = none,
): RouteCodec => ({
  params,
  filters,
  handlers,
  handlerAnswers,
  ...(own === undefined ? {} : { answers: own }),
})
