/** What printed tables of decoders are made of. */
import type { Codec, ParamDecoder, ParamSource, RouteCodec } from '../../contract/route.ts'

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

/** The decoders of a route. */
export const route = (
  params: Params,
  filters: readonly Params[] = none,
  handlers: readonly Params[] = none,
): RouteCodec => ({ params, filters, handlers })
