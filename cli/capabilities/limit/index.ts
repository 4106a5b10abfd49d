/** `@limit`: how often one user may call a route. */
import { type Feature, nearestOf } from '../../compiler/feature.ts'
import { unitOf } from '../../compiler/ir/time-units.ts'
import { classes, once, requests } from '../../compiler/read/language.ts'
import { limitOperation } from './document.ts'
import { readLimit, type SaidLimit } from './read.ts'

export const limitFeature: Feature<SaidLimit, SaidLimit> = {
  tag: 'limit',
  word: once('none|calls/s|min|h|day', [...classes, ...requests], 'others'),
  alsoCalled: ['ratelimit', 'throttle', 'quota'],
  place: 'call',
  read: readLimit,
  // preflights carry no credentials: of a class they take none
  link: (tags, { verb }) => (verb === 'OPTIONS' ? tags.ofMethod : nearestOf(tags)),
  row: (said) => ({ limit: said }),
  isShared: (said) => said !== false,
  lines: (said) => ({ limit: said === false ? 'none' : `${said.calls}/${unitOf(said.windowSeconds)?.unit}` }),
  operation: limitOperation,
}
