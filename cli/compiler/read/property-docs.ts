/** What doc comments say about a property, its inherited text included. */
import { partsText } from './doc-comment.ts'
import type { Source } from './program.ts'
import type { ts } from './typescript.ts'

interface PropertyDocs {
  readonly text: string
  readonly isDeprecated: boolean
}

/** `Pick`, `Partial` and their like make new symbols of the same declarations: each is read once a run. */
const known = new WeakMap<Source, Map<ts.Declaration, PropertyDocs>>()

/** The text and flags of a property's doc comments. */
export function docsOf(source: Source, symbol: ts.Symbol): PropertyDocs {
  const [declaration, second] = symbol.declarations ?? []
  if (declaration === undefined || second !== undefined) return readDocs(source, symbol)
  const all = known.get(source) ?? new Map<ts.Declaration, PropertyDocs>()
  known.set(source, all)
  const docs = all.get(declaration) ?? readDocs(source, symbol)
  all.set(declaration, docs)
  return docs
}

function readDocs({ checker }: Source, symbol: ts.Symbol): PropertyDocs {
  return {
    text: partsText(symbol.getDocumentationComment(checker)),
    isDeprecated: symbol.getJsDocTags(checker).some(({ name }) => name === 'deprecated'),
  }
}
