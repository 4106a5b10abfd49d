/** What doc comments say about a property, its inherited text included. Most properties have none: TypeScript would look
 *  for it everywhere. */

import { memoize, memoizeBy } from '../../cache/memoize.ts'
import type { Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { takenFrom } from '../types/marks/property-origins.ts'
import { partsText } from './doc-comment.ts'

interface PropertyDocs {
  readonly text: string
  readonly isDeprecated: boolean
}

const noDocs: PropertyDocs = { text: '', isDeprecated: false }

/** The text and flags of a property's doc comments, also of the one that a mapped type gave another name. */
export function docsOf(source: Source, property: ts.Symbol): PropertyDocs {
  const symbol =
    takenFrom(source, property).find(({ declarations }) => declarations !== undefined) ?? property
  const [declaration, second] = symbol.declarations ?? []
  if (declaration === undefined || second !== undefined) return readDocs(source, symbol)
  if (isBare(declaration) && !mayInherit(source, declaration)) return noDocs
  const docs = docsByDeclaration(source)
  const known = docs.get(declaration) ?? readDocs(source, symbol)
  docs.set(declaration, known)
  return known
}

/** `Pick`, `Partial` and their like make new symbols of the same declarations: each is read once a run. */
const docsByDeclaration = memoize((_source: Source) => new Map<ts.Declaration, PropertyDocs>())

function readDocs({ checker }: Source, symbol: ts.Symbol): PropertyDocs {
  return {
    text: partsText(symbol.getDocumentationComment(checker)),
    isDeprecated: symbol.getJsDocTags(checker).some(({ name }) => name === 'deprecated'),
  }
}

/** The tags of a declaration's doc comments. */
export const docTagsOf = (node: ts.Node): readonly ts.JSDocTag[] =>
  isBare(node) ? [] : ts.getJSDocTags(node)

/** Whether `node` declares a property, by a constructor's parameter too. */
export const isProperty = (node: ts.Node): node is ts.NamedDeclaration =>
  ts.isPropertySignature(node) ||
  ts.isPropertyDeclaration(node) ||
  ts.isPropertyAssignment(node) ||
  ts.isShorthandPropertyAssignment(node) ||
  ts.isAccessor(node) ||
  (ts.isParameter(node) && ts.isParameterPropertyDeclaration(node, node.parent))

/** Whether a declaration certainly has no doc comment: of other kinds TypeScript looks at what is around, too. */
const isBare = (node: ts.Node): boolean =>
  (ts.isPropertySignature(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) &&
  (!('jsDoc' in node) || node.jsDoc === undefined)

/** Whether a comment may come from what the declaration around extends. */
function mayInherit(source: Source, { parent, name }: ts.NamedDeclaration): boolean {
  if (ts.isTypeLiteralNode(parent)) return false
  if (!ts.isInterfaceDeclaration(parent) || name === undefined || !ts.isIdentifier(name)) return true
  return basesOf(source, parent).some((base) => base.getProperty(name.text) !== undefined)
}

/** What an interface extends. */
const basesOf = memoizeBy((source: Source, node: ts.InterfaceDeclaration): readonly ts.Type[] =>
  (node.heritageClauses ?? []).flatMap(({ types }) =>
    types.map((type) => source.checker.getTypeAtLocation(type)),
  ),
)
