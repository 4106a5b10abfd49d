/** What printed tables of decoders are made of. */
import type { Codec, ParamDecoder, ParamSource, RouteCodec } from '../../contract/route.ts'

type Params = readonly ParamDecoder[]

const none: readonly never[] = []

/** How one argument is read. */
export const param = (name: string, from: ParamSource, isRequired: 0 | 1, codec: Codec): ParamDecoder => ({
  name,
  from,
  required: isRequired === 1,
  codec,
})

/** The decoders of a route. */
export const route = (
  params: Params,
  filters: readonly Params[] = none,
  handlers: readonly Params[] = none,
): RouteCodec => ({ params, filters, handlers })
