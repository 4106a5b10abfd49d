/** `@audit strict`: a call is answered when its audit record is written. */
import { type Feature, nearestOf } from '../../compiler/feature.ts'
import { refuseText } from '../../compiler/read/jsdoc/tag.ts'
import { classes, once, requests } from '../../compiler/read/language.ts'

export const auditFeature: Feature<'strict', 'strict'> = {
  tag: 'audit',
  word: once('strict', [...classes, ...requests], 'others'),
  place: 'call',
  read: (source, tag) =>
    tag.text === 'strict'
      ? 'strict'
      : refuseText(source, tag, 'Write @audit strict: the record is written before the answer.'),
  link: nearestOf,
  row: (said) => ({ audit: said }),
}
