/** What a call gives its route to read where a request has only text: the text, or of a tool call the JSON beside it where the text could
 *  stand for another value. Source: decisions/http.md, Approval. */
import type { JsonArguments, TextPlace } from '../../contract/mcp.ts'
import type { Codec, ParamDecoder } from '../../contract/route.ts'
import { isUnlikeJson, jsonOf } from './input-json.ts'

/** What reads the texts of a route, by place and name. */
export type TextCodecs = ReadonlyMap<string, readonly Codec[]>

const keyOf = (place: TextPlace, name: string): string => `${place} ${name}`

export function textCodecs(decoders: readonly ParamDecoder[]): TextCodecs {
  const codecs = new Map<string, Codec[]>()
  for (const { from, name, codec } of decoders) {
    const key = placeKey(from, name)
    if (key !== null) codecs.set(key, [...(codecs.get(key) ?? []), codec])
  }
  return codecs
}

function placeKey(from: ParamDecoder['from'], name: string): string | null {
  switch (from) {
    case 'path':
    case 'query':
    case 'cookie':
      return keyOf(from, name)
    case 'rest':
      return keyOf('path', '*')
    case 'field':
      return keyOf('query', name)
    case 'header':
      return keyOf('header', name.toLowerCase())
    case 'body':
    case 'absent':
      return null
  }
}

interface TextsAt {
  readonly place: TextPlace
  readonly name: string
  /** What the request says there. */
  readonly texts: readonly string[] | null
}

/** The JSON in place of texts; undefined where they say the same. */
export function jsonInstead(
  json: JsonArguments | null,
  { place, name, texts }: TextsAt,
  codecs: TextCodecs,
): unknown {
  const value = json?.find(place, name, texts)
  if (value === undefined || typeof value === 'string') return undefined
  const isScalar = (typeof value === 'number' || typeof value === 'boolean') && !isUnlikeJson(value)
  const readBy = codecs.get(keyOf(place, name)) ?? []
  const isText = isScalar && readBy.length > 0 && readBy.every((codec) => !takes(codec, String(value)))
  return isText ? undefined : jsonOf(value)
}

/** Whether JSON may hold a text there. */
function takes(codec: Codec, text: string): boolean {
  try {
    codec.fromJson(text, '')
    return true
  } catch {
    return false
  }
}
