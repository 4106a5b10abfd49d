/** YAML that somebody else wrote, in time in proportion to its length: the parser compares each key with all others of its mapping. */
import { isMap, isScalar, parseDocument, visit, YAMLParseError } from 'yaml'

/** The data of a document. Throws `YAMLError` where it is no YAML, or names a key twice. */
export function parseForeign(text: string): unknown {
  const document = parseDocument(text, { logLevel: 'error', uniqueKeys: false })
  const [error] = document.errors
  if (error !== undefined) throw error
  visit(document, (_key, node) => {
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
