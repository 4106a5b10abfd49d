/** What `@secret`, `@untrusted` and `@Exclude()` say of a property: on itself, on what it was made of, or on an alias that its type
 *  is written with. The type system knows none, so that declarations are followed. Where nothing can be followed, the name decides. */

import { memoizeBy } from '../../../cache/memoize.ts'
import type { Marks } from '../../../ir/schema.ts'
import { classExclusion, exclusionOf, exposes } from '../../decorators/exclusion.ts'
import { docTagsOf, isProperty } from '../../jsdoc/property-docs.ts'
import { withinStack } from '../../program/overflow.ts'
import type { Source } from '../../program/program.ts'
import { ts } from '../../program/typescript.ts'
import { hasMarks, markedNames } from './marked-names.ts'
import { keysOf, type Origin, originsOf, ownersOf } from './property-origins.ts'
import { baseArguments, isOfParameter, spokenOf } from './written-types.ts'

/** A property that is withheld is neither answered nor taken. */
export interface PropertyMarks extends Marks {
  readonly isWithheld: boolean
}

const unmarked: PropertyMarks = { isSecret: false, isUntrusted: false, isWriteOnly: false, isWithheld: false }
const inDoubt: PropertyMarks = { isSecret: true, isUntrusted: true, isWriteOnly: false, isWithheld: false }

/** What is said of the value of a property of `owner`, whose type is `type`. */
export function marksOf(
  source: Source,
  symbol: ts.Symbol,
  { type, owner }: { readonly type: ts.Type; readonly owner: ts.Type },
): PropertyMarks {
  if (!hasMarks(source.program)) return unmarked
  const aliases = [type, ...(type.isUnion() ? type.types : [])].flatMap((part) => part.aliasSymbol ?? [])
  const extended = baseArguments(source, owner.getSymbol())
  const inherited = extended.length > 0 && isOfParameter(source, symbol) ? extended : []
  const all = joined([symbol, ...aliases, ...inherited].map((item) => followed(source, item)))
  return joined([all, ofOwners(source, symbol, owner)])
}

/** `@Exclude()` on a class speaks of what it inherits too. */
function ofOwners(source: Source, symbol: ts.Symbol, owner: ts.Type): PropertyMarks {
  const classes = [owner, ...ownersOf(source, symbol)].flatMap((type) => type.getSymbol()?.declarations ?? [])
  const said = classes
    .map((node) => classExclusion(source, node))
    .filter(({ isWithheld, isWriteOnly }) => isWithheld || isWriteOnly)
  const isExposed = said.length > 0 && (symbol.declarations ?? []).some((node) => exposes(source, node))
  return joined(isExposed ? [] : said.map(withSecrecy))
}

/** What is in no answer is as secret as can be. */
const withSecrecy = (exclusion: Pick<PropertyMarks, 'isWithheld' | 'isWriteOnly'>): PropertyMarks => ({
  ...exclusion,
  isSecret: exclusion.isWithheld || exclusion.isWriteOnly,
  isUntrusted: false,
})

/** What the types that `node` is written with say of a value that is no property. */
export function marksOfNode(source: Source, node: ts.Node | undefined): PropertyMarks {
  return node === undefined || !hasMarks(source.program) ? unmarked : followed(source, node)
}

const joined = (all: readonly PropertyMarks[]): PropertyMarks => ({
  isSecret: all.some(({ isSecret }) => isSecret),
  isUntrusted: all.some(({ isUntrusted }) => isUntrusted),
  isWriteOnly: all.some(({ isWriteOnly }) => isWriteOnly),
  isWithheld: all.some(({ isWithheld }) => isWithheld),
})

function followed(source: Source, item: Origin): PropertyMarks {
  const [first, second] = isSymbol(item) ? originsOf(source, item) : []
  const isDeclared = first !== undefined && second === undefined && !isSymbol(first) && isProperty(first)
  return followedOnce(source, isDeclared ? first : item)
}

/** `Pick`, `Partial` and their like make new symbols of the same declarations: each is followed once a run. */
const followedOnce = memoizeBy((source: Source, item: Origin) =>
  withinStack(
    () => follow(source, item),
    () => inDoubt,
  ),
)

/** Whatever leads to the item is looked at, each once. */
function follow(source: Source, start: Origin): PropertyMarks {
  const open = new Set([start])
  for (const item of open) {
    const next = isSymbol(item) ? originsOf(source, item) : spokenOf(source, item)
    for (const origin of next) open.add(origin) // grows as it is walked
  }
  const nodes = [...open].filter((item) => !isSymbol(item))
  const said = joined(nodes.map((node) => saidOn(source, node)))
  const isLost = isSymbol(start) && Boolean(start.flags & ts.SymbolFlags.Property) && !nodes.some(isProperty)
  return isLost ? joined([said, byName(source, [...open].filter(isSymbol).flatMap(keysOf))]) : said
}

const isSymbol = (item: Origin): item is ts.Symbol => 'escapedName' in item && !('kind' in item)

function saidOn(source: Source, node: ts.Node): PropertyMarks {
  if (!isProperty(node) && !ts.isTypeAliasDeclaration(node)) return unmarked
  const names = docTagsOf(node).map(({ tagName }) => tagName.text)
  const excluded = withSecrecy(exclusionOf(source, node))
  return {
    ...excluded,
    isSecret: names.includes('secret') || excluded.isSecret,
    isUntrusted: names.includes('untrusted'),
  }
}

/** A property without a declaration is marked where any of its name is. */
function byName({ program }: Source, keys: readonly string[]): PropertyMarks {
  const { secret, untrusted, excluded } = markedNames(program)
  const names = keys.flatMap((key) => [key, ...key.split(/[^\w$]+/)]) // `users.hash as other`
  const isWriteOnly = names.some((name) => excluded.has(name)) // it may be another that has the name: it is taken
  return {
    isSecret: isWriteOnly || names.some((name) => secret.has(name)),
    isUntrusted: names.some((name) => untrusted.has(name)),
    isWriteOnly,
    isWithheld: false,
  }
}
