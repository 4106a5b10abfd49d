/** What the decoders that the compiler prints (`.acmcp/codecs.mjs`) are put together from: they import nothing else. A decoder
 *  returns the value, or a `DecodeError` with the dotted path. Public as `acmcp/codec`. */
export { textPattern } from '../../text-patterns.ts'
export type { Decoder } from './decoder.ts'
export { answers, param, route } from './route-codec.ts'
export * from './scalars.ts'
export { array, object, optional, record, secret, tuple, untrusted, withheld } from './structures.ts'
export { discriminated, union } from './unions.ts'
export { concealed, named, nullable, ref, refine, transform } from './wrappers.ts'
