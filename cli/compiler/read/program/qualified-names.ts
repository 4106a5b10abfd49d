/** What tells types of one name apart: the namespaces and the module that they stand in, the nearest first: `Item` of `shop.ts`
 *  is `ShopItem`. A name says nothing of the other types, so that a further one changes none. */

import type { Source } from './program.ts'
import { ts } from './typescript.ts'

/** The name that a declaration has in its file: `export default` is none. */
export function declaredName({ name, declarations = [] }: ts.Symbol): string | null {
  if (name !== 'default') return name
  const own = declarations.flatMap((node) => ts.getNameOfDeclaration(node) ?? []).find(ts.isIdentifier)
  return own?.text ?? null
}

/** That name, told apart from those of other declarations. */
export function distinctName({ shared }: Source, symbol: ts.Symbol): string | null {
  const name = declaredName(symbol)
  const depth = name === null ? undefined : shared.get(name)
  const declaration = symbol.declarations?.[0]
  if (name === null || depth === undefined || declaration === undefined) return name
  return qualifiedName(name, declaration, depth) ?? name
}

/** The name of the declaration `node` with `depth` of the names around it before its own; null = it has not so many. */
function qualifiedName(name: string, node: ts.Node, depth: number): string | null {
  const around = [...namespacesOf(node), ...foldersOf(node.getSourceFile().fileName)].map(word)
  const enclosing = around.filter((text) => text !== '' && text !== name) // `Item` of `shop/item.ts`
  return depth > enclosing.length ? null : `${enclosing.slice(0, depth).reverse().join('')}${name}`
}

function namespacesOf(node: ts.Node): readonly string[] {
  const names: string[] = []
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent)
    if (ts.isModuleDeclaration(at)) names.push(at.name.text)
  return names
}

/** The file and the folders above it, the nearest first; an index is its folder. */
function foldersOf(path: string): readonly string[] {
  const segments = path.replace(/(\.d)?\.[cm]?ts$/, '').split('/')
  return (segments.at(-1) === 'index' ? segments.slice(0, -1) : segments).reverse()
}

const word = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('')
    .replace(/^\d+/, '')
