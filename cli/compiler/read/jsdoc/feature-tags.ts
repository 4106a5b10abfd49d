/** The optional tags of a class or a method, each read by its own feature. */
import type { SaidByFeatures } from '../../ir/features.ts'
import type { TagOwner } from '../language.ts'
import type { Source } from '../program/program.ts'
import type { Tag } from './tag.ts'

/** What they say; of a tag that is absent, or could not be read, nothing. */
export function readFeatures(source: Source, tags: readonly Tag[], owner: TagOwner): SaidByFeatures {
  const said = source.language.features.flatMap((feature) => {
    const tag = tags.find(({ name }) => name === feature.tag)
    const read = tag === undefined ? null : feature.read(source, tag, owner)
    return read === null ? [] : [[feature.tag, read] as const]
  })
  return Object.fromEntries(said)
}
