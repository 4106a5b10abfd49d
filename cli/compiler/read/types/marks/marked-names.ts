/** Which files say `@secret`, `@untrusted` or `@Exclude()` at all, and of which names: the last resort for properties without
 *  a declaration. Goes by text alone, so that a file is looked at once, by however many programs. */

import { memoize } from '../../../cache/memoize.ts'
import { docTagsOf, isProperty } from '../../jsdoc/property-docs.ts'
import { nodesIn } from '../../program/nodes.ts'
import { ts } from '../../program/typescript.ts'

type Mark = 'secret' | 'untrusted' | 'excluded'

/** The names of properties that have a mark. */
export type MarkedNames = Readonly<Record<Mark, ReadonlySet<string>>>

export const noNames: MarkedNames = { secret: new Set(), untrusted: new Set(), excluded: new Set() }

/** Whether any file says one of them: without, nothing is followed. */
export const hasMarks: (program: ts.Program) => boolean = memoize((program) =>
  program.getSourceFiles().some(mayMark),
)

const mayMark = memoize(({ text, isDeclarationFile }: ts.SourceFile): boolean => {
  const hasTag = (text.includes('@secret') || text.includes('@untrusted')) && tag.test(text)
  return hasTag || (!isDeclarationFile && excluding.test(text))
})

/** Between backticks it is the name of the tag, as in the declarations of acmcp itself. */
const tag = /(?<!`)@(?:secret|untrusted)\b/

/** What stands in a decorator that keeps a property out of answers, by whatever name it was imported; not `Exclude<T, U>`. */
const excluding =
  /\b(?:Exclude(?!\s*<)|Expose|ApiHideProperty|HideField)\b|\bselect['"]?\s*:\s*false\b|\b(?:hidden|writeOnly)['"]?\s*:\s*true\b/

/** The marked names in all files but those of installed packages. */
export const markedNames: (program: ts.Program) => MarkedNames = memoize((program) => {
  const isOwn = (file: ts.SourceFile): boolean =>
    !file.fileName.includes('/node_modules/') && !program.isSourceFileDefaultLibrary(file)
  if (!hasMarks(program)) return noNames
  const words = program.getSourceFiles().filter(isOwn).flatMap(wordsOf)
  return {
    secret: namesWith('secret', words),
    untrusted: namesWith('untrusted', words),
    excluded: namesWith('excluded', words),
  }
})

/** A property or an alias as it is written. */
interface Written {
  readonly name: string
  readonly isAlias: boolean
  readonly tags: readonly string[]
  /** Every name in its type. */
  readonly mentions: readonly string[]
}

/** The names that have the tag, or an alias with it in their type. */
function namesWith(mark: Mark, words: readonly Written[]): ReadonlySet<string> {
  const aliases = new Set(
    words.flatMap(({ name, isAlias, tags }) => (isAlias && tags.includes(mark) ? [name] : [])),
  )
  for (const alias of aliases) {
    for (const { name, isAlias, mentions } of words)
      if (isAlias && mentions.includes(alias)) aliases.add(name) // grows as it is walked
  }
  const isMarked = ({ isAlias, tags, mentions }: Written): boolean =>
    !isAlias && (tags.includes(mark) || mentions.some((name) => aliases.has(name)))
  return new Set(words.filter(isMarked).map(({ name }) => name))
}

const wordsOf = memoize((file: ts.SourceFile): readonly Written[] =>
  nodesIn(file).flatMap((node) => (isProperty(node) || ts.isTypeAliasDeclaration(node) ? wordOf(node) : [])),
)

function wordOf(node: ts.NamedDeclaration): readonly Written[] {
  const { name } = node
  if (name === undefined || !(ts.isIdentifier(name) || ts.isStringLiteral(name))) return []
  const isExcluded = ts.canHaveDecorators(node) && excluding.test(decoratorText(node))
  const tags = [...docTagsOf(node).map(({ tagName }) => tagName.text), ...(isExcluded ? ['excluded'] : [])]
  const type = 'type' in node ? (node.type as ts.TypeNode | undefined) : undefined // declarations of properties have it
  return [{ name: name.text, isAlias: ts.isTypeAliasDeclaration(node), tags, mentions: identifiersIn(type) }]
}

const decoratorText = (node: ts.HasDecorators): string =>
  (ts.getDecorators(node) ?? []).map((decorator) => decorator.getText()).join(' ')

/** Not those of properties inside, of which each speaks for itself. */
function identifiersIn(node: ts.Node | undefined): readonly string[] {
  const isOfProperty = (inner: ts.Node): boolean =>
    ts.isTypeElement(inner) && !ts.isIndexSignatureDeclaration(inner)
  const inside = node === undefined ? [] : nodesIn(node, isOfProperty)
  return inside.filter(ts.isIdentifier).map(({ text }) => text)
}
