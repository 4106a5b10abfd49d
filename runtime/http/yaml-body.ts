/** Reads YAML bodies, which are taken only where the application asks for them (`yamlBodies`). Source: decisions.md, Accept;
 *  YAML 1.2.2, 3.2.1.3 (the keys of a mapping are unique). */
import { type Document, isScalar, parseDocument, visit } from 'yaml'
import { JsonParseError } from '../errors.ts'

/** Of a whole YAML body: the work of the library grows with the text, and is dear. */
export const yamlBytes: number = 16 * 1024

const mostAliases = 100

/** The value of one document of JSON's own kinds; aliases are bounded, no tag runs code. Throws `JsonParseError` for what is no
 *  YAML, a key that is no scalar or stands twice, and too many aliases. */
export function parseYamlBody(text: string): unknown {
  try {
    // the library would compare each key with all before it
    const options = { uniqueKeys: false, logLevel: 'error', prettyErrors: false, schema: 'core' } as const
    const document = parseDocument(text, options)
    checkDocument(document)
    return document.toJS({ maxAliasCount: mostAliases + 1 }) // an anchor counts as one
  } catch {
    throw new JsonParseError('YAML')
  }
}

/** Before anything is resolved: for each alias the library searches the document from its beginning. */
function checkDocument(document: Document.Parsed): void {
  if (document.errors.length > 0) throw new Error('malformed')
  let aliases = 0
  visit(document, {
    Alias() {
      aliases += 1
      if (aliases > mostAliases) throw new Error('too many aliases')
    },
    Map: (_at, { items }) => checkKeys(items),
  })
}

function checkKeys(items: readonly { readonly key: unknown }[]): void {
  const names = new Set<string>()
  for (const { key } of items) {
    if (!isScalar(key)) throw new Error('a key that is no scalar')
    const name = String(key.value ?? '')
    if (names.has(name)) throw new Error('a key stands twice')
    names.add(name)
  }
}
