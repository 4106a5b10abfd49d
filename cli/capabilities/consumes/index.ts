/** `@consumes`: of the media types that are read, those of this route's body. */
import { type Feature, nearestOf } from '../../compiler/feature.ts'
import { type Reporter, refuseText, refuseWord, type Tag, words } from '../../compiler/read/jsdoc/tag.ts'
import { once } from '../../compiler/read/language.ts'
import { bodiesAreReadable } from './check.ts'

type Types = readonly string[]

export const consumesFeature: Feature<Types, Types> = {
  tag: 'consumes',
  word: once('type [more …]', ['route']),
  place: 'call',
  read: readTypes,
  link: nearestOf,
  check: bodiesAreReadable,
  row: (types) => ({ consumes: types }),
  bodyTypes: (types) => types,
}

/** Whether something reads them shows only when all is known. */
function readTypes(source: Reporter, tag: Tag): Types | null {
  const types = words(tag.text)
  const hint = 'Write media types in lower case, such as @consumes application/x-www-form-urlencoded.'
  if (types.length === 0) return refuseText(source, tag, hint)
  const wrong = types.find(
    (type, place) =>
      !/^[\w.+-]+\/[\w.+-]+$/.test(type) || type !== type.toLowerCase() || types.indexOf(type) !== place,
  )
  if (wrong === undefined) return types
  refuseWord(source, tag, wrong, [`cannot read '${wrong}'`, hint])
  return null
}
