/** Decorators of the types that are read: what no reader takes is told at its place, so that no rule is lost in silence. */
// Source: language.md, Nothing is lost silently; decisions/compiler.md, Decorators of other libraries.
import { memoize } from '../../cache/memoize.ts'
import { decoratorIgnored, effects } from '../../diagnostics/decorator-diagnostics.ts'
import { isProperty } from '../jsdoc/property-docs.ts'
import { placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { type Origin, originsOf } from '../types/marks/property-origins.ts'
import { type Decorator, decoratorsOf } from './decorators.ts'
import { readOf } from './exclusion.ts'

/** Reports those of a class, of what it extends, and of its accessors: no answer holds these. */
export function reportClassDecorators(source: Source, symbol: ts.Symbol | undefined): void {
  for (const node of symbol?.declarations ?? []) {
    if (!ts.isClassLike(node) || !isFirst(source, node)) continue
    reportUnread(source, node)
    for (const member of node.members) if (ts.isAccessor(member)) reportUnread(source, member)
    for (const base of source.checker.getTypeAtLocation(node).getBaseTypes?.() ?? [])
      reportClassDecorators(source, base.getSymbol())
  }
}

/** Reports those of a property, also of the one that a mapped type made it from, and those of the class around. */
export function reportPropertyDecorators(source: Source, symbol: ts.Symbol): void {
  const open = new Set<Origin>([symbol])
  for (const node of open) {
    if (!('kind' in node)) for (const origin of originsOf(source, node)) open.add(origin) // grows as it is walked
    if (!('kind' in node) || !isProperty(node)) continue
    const around = ts.isParameter(node) ? node.parent.parent : node.parent
    if (!ts.isClassLike(around)) continue
    if (around.name !== undefined)
      reportClassDecorators(source, source.checker.getSymbolAtLocation(around.name))
    if (isFirst(source, node)) reportUnread(source, node)
  }
}

function isFirst(source: Source, node: ts.Node): boolean {
  const all = seenIn(source)
  return all.size < all.add(node).size
}

/** Those that were looked at, once a run. */
const seenIn = memoize((_source: Source) => new Set<ts.Node>())

function reportUnread(source: Source, node: ts.Node): void {
  for (const decorator of decoratorsOf(source, node)) {
    const read = readOf(decorator)
    if (read === 'all') continue
    const at = placeOfNode(source, decorator.node)
    source.report(
      decoratorIgnored(
        at,
        decorator.name,
        cureOf(decorator),
        read === 'exclusion' ? effects.exclusion : effects.none,
      ),
    )
  }
}

/** How the rule of a package's decorators is kept. */
const cures: readonly (readonly [from: RegExp, cure: string])[] = [
  [
    /^(?:class-validator|sequelize-typescript)$/,
    'Write its rule as a tag (@minLength, @minimum, @pattern …) or a type (Int32, Email, `?`), or check the value in the method.',
  ],
  [
    /^(?:@nestjs\/)?class-transformer$/,
    'Write the JSON form as the type of the property, and convert in the method. @Exclude() and @Expose() without further options are read.',
  ],
  [
    /^(?:@nestjs\/(?:swagger|graphql)|type-graphql|tsoa|routing-controllers)/,
    'Write its text as a doc comment, and its rule as a tag (@minimum, @example, @deprecated …) or a type.',
  ],
]

const otherwise = 'Write what it asks of the value as a tag (@maxLength, @minimum …) or a type.'

function cureOf({ origins }: Decorator): string {
  const packages = origins.flatMap(({ package: from }) => from ?? [])
  return cures.find(([name]) => packages.some((from) => name.test(from)))?.[1] ?? otherwise
}
