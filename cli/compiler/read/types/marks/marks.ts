/** What `@secret` and `@untrusted` say of a property: on itself, on what it was made of, or on an alias that its type is written
 *  with. The type system knows neither, so that declarations are followed. Where nothing can be followed, the name decides. */

import type { Marks } from '../../../ir/schema.ts'
import { docTagsOf, isProperty } from '../../jsdoc/property-docs.ts'
import { withinStack } from '../../program/overflow.ts'
import type { Source } from '../../program/program.ts'
import { ts } from '../../program/typescript.ts'
import { hasMarks, markedNames } from './marked-names.ts'
import { keysOf, type Origin, originsOf } from './property-origins.ts'
import { baseArguments, isOfParameter, spokenOf } from './written-types.ts'

const unmarked: Marks = { isSecret: false, isUntrusted: false }
const inDoubt: Marks = { isSecret: true, isUntrusted: true }

/** `Pick`, `Partial` and their like make new symbols of the same declarations: each is followed once a run. */
const known = new WeakMap<Source, Map<Origin, Marks>>()

/** What is said of the value of a property of `owner`, whose type is `type`. */
export function marksOf(
  source: Source,
  symbol: ts.Symbol,
  { type, owner }: { readonly type: ts.Type; readonly owner: ts.Type },
): Marks {
  if (!hasMarks(source.program)) return unmarked
  const aliases = [type, ...(type.isUnion() ? type.types : [])].flatMap((part) => part.aliasSymbol ?? [])
  const extended = baseArguments(source, owner.getSymbol())
  const given = extended.length > 0 && isOfParameter(source, symbol) ? extended : []
  return joined([symbol, ...aliases, ...given].map((item) => followed(source, item)))
}

/** What the types that `node` is written with say of a value that is no property. */
export function marksOfNode(source: Source, node: ts.Node | undefined): Marks {
  return node === undefined || !hasMarks(source.program) ? unmarked : followed(source, node)
}

const joined = (all: readonly Marks[]): Marks => ({
  isSecret: all.some(({ isSecret }) => isSecret),
  isUntrusted: all.some(({ isUntrusted }) => isUntrusted),
})

function followed(source: Source, item: Origin): Marks {
  const [first, second] = isSymbol(item) ? originsOf(source, item) : []
  const isDeclared = first !== undefined && second === undefined && !isSymbol(first) && isProperty(first)
  const key = isDeclared ? first : item
  const all = known.get(source) ?? new Map<Origin, Marks>()
  known.set(source, all)
  const found =
    all.get(key) ??
    withinStack(
      () => follow(source, item),
      () => inDoubt,
    )
  all.set(key, found)
  return found
}

/** Whatever leads to the item is looked at, each once. */
function follow(source: Source, start: Origin): Marks {
  const open = new Set([start])
  for (const item of open) {
    const next = isSymbol(item) ? originsOf(source, item) : spokenOf(source, item)
    for (const origin of next) open.add(origin) // grows as it is walked
  }
  const nodes = [...open].filter((item) => !isSymbol(item))
  const said = joined(nodes.map(saidOn))
  const isLost = isSymbol(start) && Boolean(start.flags & ts.SymbolFlags.Property) && !nodes.some(isProperty)
  return isLost ? joined([said, byName(source, [...open].filter(isSymbol).flatMap(keysOf))]) : said
}

const isSymbol = (item: Origin): item is ts.Symbol => 'escapedName' in item && !('kind' in item)

function saidOn(node: ts.Node): Marks {
  if (!isProperty(node) && !ts.isTypeAliasDeclaration(node)) return unmarked
  const names = docTagsOf(node).map(({ tagName }) => tagName.text)
  return { isSecret: names.includes('secret'), isUntrusted: names.includes('untrusted') }
}

/** A property that nobody declares is marked where any of its name is. */
function byName({ program }: Source, keys: readonly string[]): Marks {
  const { secret, untrusted } = markedNames(program)
  const names = keys.flatMap((key) => [key, ...key.split(/[^\w$]+/)]) // `users.hash as other`
  return {
    isSecret: names.some((name) => secret.has(name)),
    isUntrusted: names.some((name) => untrusted.has(name)),
  }
}
