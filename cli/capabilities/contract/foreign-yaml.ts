/** YAML of unknown origin, read in time in proportion to its length: the parser compares each key with all others of its mapping. */
import { isAlias, isMap, isScalar, parseDocument, visit, YAMLParseError } from 'yaml'

/** Each is looked for from the start of the document; what `acmcp` writes has none. */
const maxAliases = 100

/** The data of a document. Throws `YAMLError` where it is no YAML, names a key twice, or has too many aliases. */
export function parseForeign(text: string): unknown {
  const document = parseDocument(text, { logLevel: 'error', uniqueKeys: false })
  const [error] = document.errors
  if (error !== undefined) throw error
  let aliases = 0
  visit(document, (_key, node) => {
    if (isAlias(node)) aliases += 1
    if (aliases > maxAliases) throw new YAMLParseError([0, 0], 'BAD_ALIAS', `more than ${maxAliases} aliases`)
    if (isMap(node)) refuseTwice(node.items.map(({ key }) => key))
  })
  return document.toJS()
}

function refuseTwice(keys: readonly unknown[]): void {
  const seen = new Set<unknown>()
  for (const key of keys) {
    const value: unknown = isScalar(key) ? key.value : key
    if (seen.has(value)) {
      const at = isScalar(key) ? (key.range?.[0] ?? 0) : 0
      throw new YAMLParseError([at, at], 'DUPLICATE_KEY', 'Map keys must be unique')
    }
    seen.add(value)
  }
}
