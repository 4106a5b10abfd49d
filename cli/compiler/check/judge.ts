/** Whether a value is of a type, as the decoder judges that the same compilation prints for the server: what it refuses of a caller
 *  stands in no document. */
import * as codec from '../../../runtime/http/codec/codec.ts'
import type { Decoder } from '../../../runtime/http/codec/decoder.ts'
import { memoizeBy } from '../cache/memoize.ts'
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { refsOf } from '../ir/schema-walk.ts'
import { constantName, decoderText } from '../schema/decoders.ts'
import { schemaNamed } from '../schema/references.ts'

/** Where and why a decoder refuses `value`, which is called `name`; null = it does not. Names that the type does not have, and null for
 *  what may only be left out, are refused. */
export function refusalOf(
  schema: Schema,
  value: unknown,
  { name, named }: { readonly name: string; readonly named: readonly NamedSchema[] },
): string | null {
  const decoder = decoderOf(schema, named)
  try {
    decoder.fromJson(value, name, 'call')
    decoder.fromJson(value, name)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function decoderOf(schema: Schema, named: readonly NamedSchema[]): Decoder {
  const names = [...new Set(refsOf(schema))]
  const inside = names.map((name) => codec.ref(() => decoderNamed(named, name)))
  const make = new Function('c', ...names.map(constantName), `return ${decoderText(schema, named)}`)
  return make(inPlace, ...inside)
}

/** `inside` are references already. */
const inPlace = { ...codec, ref: (inside: () => Decoder) => inside() }

/** Of the named types of a list, each made once, when the first value of it is judged. */
const decoderNamed = memoizeBy((named: readonly NamedSchema[], name: string): Decoder => {
  const target = schemaNamed(name, named)
  if (target === null) throw new Error(`nothing is named ${name}`)
  return decoderOf(target.schema, named)
})
