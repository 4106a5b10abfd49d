/** The names that named schemas have in a printed file, and their declarations. */
import { freeName } from '../../ir/safe-names.ts'
import type { NamedSchema } from '../../ir/schema.ts'
import { docText } from './doc-text.ts'
import { type TypeNames, typeText } from './type-text.ts'

/** The names of `named` in a file that has `taken` already. */
export function typeNames(named: readonly NamedSchema[], taken: ReadonlySet<string>): TypeNames {
  const used = new Set(taken)
  const names = new Map<string, string>()
  for (const { name } of named) {
    const plain = name.replace(/\W+/g, '_').replace(/^(?=\d)/, '_')
    const free = freeName(plain, (other) => used.has(other))
    used.add(free)
    names.set(name, free)
  }
  return { nameOf: (schema) => names.get(schema) ?? 'unknown', isTaken: (name) => used.has(name) }
}

/** The declaration of a named schema. */
export function declarationText({ name, schema, doc }: NamedSchema, names: TypeNames): string {
  const text = typeText(schema, names)
  const own = names.nameOf(name)
  const isInterface = text.startsWith('{') && schema.kind === 'object'
  return `${docText(doc, '')}export ${isInterface ? `interface ${own} ${text}` : `type ${own} = ${text}`}\n`
}
