/** Credentials that a model would be asked for or shown: what it has read, others can make it repeat. */
import { credentialShown } from '../../diagnostics/model-diagnostics.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import type { NamedSchema, Property, Schema } from '../../ir/schema.ts'
import { childrenOf } from '../../ir/schema-walk.ts'
import { schemaNamed } from '../../schema/references.ts'
import type { ToolView } from '../../schema/tools.ts'
import { wordsIn } from './words-in.ts'

type Named = readonly NamedSchema[]

/** One report for each tool, with all that is found; none where `@mcp show` says that models are to have it. */
export function credentialsShown({ action, tool }: ToolView, named: Named): readonly Diagnostic[] {
  if (tool.isShown) return []
  const args = tool.arguments.filter(({ param }) => !param.isSecret)
  const taken = args.flatMap(({ argument, param: { schema } }) =>
    isCredential(argument, schema, named) ? [argument] : credentialsIn(schema, named),
  )
  const answered = tool.output === null ? [] : credentialsIn(tool.output, named)
  const shown = [...listed('argument', taken), ...listed('answer', answered)]
  return shown.length === 0 ? [] : [credentialShown(action.at, tool.name, shown.join(', '))]
}

const listed = (what: string, names: readonly string[]): readonly string[] =>
  [...new Set(names)].map((name) => `'${name}' of its ${what}`)

/** The names of such properties, however deep; a type is looked at once. */
function credentialsIn(schema: Schema, named: Named, seen: Set<string> = new Set()): readonly string[] {
  if (schema.kind === 'ref') {
    if (seen.has(schema.name)) return []
    seen.add(schema.name)
    const target = schemaNamed(schema.name, named)
    return target === null ? [] : credentialsIn(target.schema, named, seen)
  }
  const properties: readonly Property[] = schema.kind === 'object' ? schema.properties : []
  const own = properties.filter((property) => !property.isSecret)
  const others = schema.kind === 'object' ? own.map((property) => property.schema) : childrenOf(schema)
  return [
    ...own.flatMap((property) =>
      isCredential(property.name, property.schema, named) ? [property.name] : [],
    ),
    ...others.flatMap((inner) => credentialsIn(inner, named, seen)),
  ]
}

const isCredential = (name: string, schema: Schema, named: Named): boolean =>
  isText(schema, named) && saysCredential(wordsIn(name))

/** Each may stand for many. */
const credential =
  /\b(?:\w*password|passwd|pwd|passphrase|passcode|secret|jwt|bearer|credential|otp|totp|cvv|cvc|mnemonic|(?:api|private|secret|access|signing|encryption|ssh) ?key|(?:auth|authorization|pin|mfa|security|recovery|backup|verification|one ?time) ?code|(?:seed|recovery) ?phrase|pin ?number)s?\b|\b(?:access|refresh|auth|bearer|session|id)?token\b|\bpin$/
/** Where the next page begins, and what is none of a person's. */
const harmless =
  /\b(?:page|next|previous|prev|continuation|continue|sync|cursor|csrf|design|push|device)(?: \w+)? token\b|\btoken (?:type|count|kind|name|id)\b|\b(?:secret|key) (?:name|id)s?\b/

const saysCredential = (words: string): boolean => credential.test(words) && !harmless.test(words)

/** Flags and numbers tell of one, and are none. */
function isText(schema: Schema, named: Named, depth = 0): boolean {
  if (schema.kind === 'string' || schema.kind === 'template') return true
  if (schema.kind === 'ref') {
    const target = depth > 8 ? null : schemaNamed(schema.name, named)
    return target !== null && isText(target.schema, named, depth + 1)
  }
  const isAround = ['constrained', 'union', 'array'].includes(schema.kind)
  return isAround && childrenOf(schema).some((inner) => isText(inner, named, depth))
}
