/** Whether a value is of a type, as the decoder judges that the same compilation prints for the server: what it refuses of a caller
 *  stands in no document. */
import type { Codec } from '../../../runtime/contract/route.ts'
import * as codec from '../../../runtime/http/codec/codec.ts'
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { constantName, decoderText } from '../schema/decoders.ts'
import { reachable } from '../schema/references.ts'

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

function decoderOf(schema: Schema, named: readonly NamedSchema[]): Codec {
  const constants = reachable([schema], named).map(
    (item) => `const ${constantName(item.name)}=${decoderText(item.schema, named)}`,
  )
  const code = [...constants, `return ${decoderText(schema, named)}`].join('\n')
  return new Function('c', code)(codec)
}
