/** What tells types of one name apart: the first of them keeps it, each other one has as much before it of the namespaces and the
 *  module that it stands in, the nearest first, as no other has: `Item` of `shop.ts` is `ShopItem`. Which is the first the sources
 *  say alone, so that a build anywhere gives the same names, and what comes later in that order renames nothing. */

import { componentKey } from '../types/component-key.ts'
import { byText, pathFrom } from './host.ts'
import type { Source } from './program.ts'
import { ts } from './typescript.ts'

/** The name that a declaration has in its file: `export default` is none. */
export function declaredName({ name, declarations = [] }: ts.Symbol): string | null {
  if (name !== 'default') return name
  const own = declarations.flatMap((node) => ts.getNameOfDeclaration(node) ?? []).find(ts.isIdentifier)
  return own?.text ?? null
}

/** That name, told apart from those of other declarations. */
export function distinctName({ distinct }: Source, symbol: ts.Symbol): string | null {
  const declaration = symbol.declarations?.[0]
  return (declaration && distinct.get(declaration)) ?? declaredName(symbol)
}

/** The declarations that have a name, by that name. */
export type SharedNames = ReadonlyMap<string, ReadonlySet<ts.Declaration>>

/** The names of all declarations but the first of each name. None is in `taken`. */
export function distinctNames(
  source: Source,
  shared: SharedNames,
  taken: ReadonlySet<string>,
): ReadonlyMap<ts.Declaration, string> {
  const used = new Set([...taken, ...shared.keys()])
  const names = new Map<ts.Declaration, string>()
  for (const [name, declarations] of [...shared].sort(([a], [b]) => byText(a, b))) {
    for (const declaration of inOrder(source, [...declarations]).slice(1)) {
      const free = qualifiedNames(name, declaration).find((each) => !used.has(componentKey(each)))
      if (free === undefined) continue
      names.set(declaration, free)
      used.add(componentKey(free))
    }
  }
  return names
}

/** Those of acmcp, which each application has from its first day, then by file: below `app/`, beside it, elsewhere, in packages. */
function inOrder(source: Source, declarations: readonly ts.Declaration[]): readonly ts.Declaration[] {
  const own = new Set([...source.publicSurface.values()].map((symbol) => symbol.declarations?.[0]))
  const keyed = declarations.map((declaration) => {
    const file = declaration.getSourceFile()
    const path = pathFrom(source.host.root, file.fileName)
    const inPackage = path.lastIndexOf('node_modules/')
    const places = [
      own.has(declaration),
      source.isOwn(file),
      inPackage < 0 && !path.startsWith('..'),
      inPackage < 0,
    ]
    const rank = places.includes(true) ? places.indexOf(true) : places.length
    return { declaration, rank, path: path.slice(Math.max(inPackage, 0)) }
  })
  return keyed
    .sort((a, b) => a.rank - b.rank || byText(a.path, b.path) || a.declaration.pos - b.declaration.pos)
    .map(({ declaration }) => declaration)
}

/** The name of a declaration with ever more of the names around it before its own. */
function qualifiedNames(name: string, node: ts.Node): readonly string[] {
  const around = [...namespacesOf(node), ...foldersOf(node.getSourceFile().fileName)].map(word)
  const enclosing = around.filter((text) => text !== '' && text !== name) // `Item` of `shop/item.ts`
  return enclosing.map(
    (_, depth) =>
      `${enclosing
        .slice(0, depth + 1)
        .reverse()
        .join('')}${name}`,
  )
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
