/** The optional tags of a class or a method, each read by its own feature. */
import type { SaidByFeatures } from '../../ir/features.ts'
import { isAlone, type Language, type TagOwner, type TagReader, wordName } from '../language.ts'
import type { Source } from '../program/program.ts'
import type { Tag } from './tag.ts'

type Owner = Omit<TagOwner, 'written'>

/** What they say; of a tag that is absent, or could not be read, nothing. */
export function readFeatures(source: Source, tags: readonly Tag[], owner: Owner): SaidByFeatures {
  const said = source.language.features.flatMap((feature) => {
    const all = placesOf(source.language, feature, tags, owner)
    const read = all.map(({ tag, written }) => feature.read(source, tag, { ...owner, written })).at(-1)
    return read === null || read === undefined ? [] : [[feature.tag, read] as const]
  })
  return Object.fromEntries(said)
}

interface SaidTag {
  readonly tag: Tag
  readonly written: string
}

/** Where the tag stands; that of a second one is told already. */
function placesOf(
  language: Language,
  feature: TagReader,
  tags: readonly Tag[],
  { isClass }: Owner,
): readonly SaidTag[] {
  const [name, word] = feature.tag.split(' ')
  if (word === undefined)
    return tags
      .filter((tag) => tag.name === name)
      .map((tag) => ({ tag, written: tag.name }))
      .slice(0, 1)
  if (isClass && !feature.word.on.includes('class')) return []
  const places = tags.flatMap((tag) => {
    const all = tag.mcpWords.filter((item) => wordName(item) === word)
    // of a method nothing is read in whose tag a word stands that takes all of it
    const isStray = !isClass && tag.mcpWords.slice(1).some((item) => isAlone(language, wordName(item)))
    return isStray ? [] : all.map((written) => ({ tag, written }))
  })
  return isClass ? places.slice(0, 1) : places
}
