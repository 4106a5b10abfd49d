/** How often and how long a route may be called, and how calls of it are recorded. Source: language.md, Scopes, limits, audit. */

import type { DeclaredOptions } from '../ir/model.ts'
import { nearest } from '../ir/options.ts'
import type { DeclaredController, DeclaredMethod, DeclaredRoute } from '../ir/source-model.ts'
import { answersEvents } from './tools.ts'

/** The method's own word, else that of the nearest class. Preflights carry nobody's credentials, and what goes on as long as its client
 *  wants has no time: of a class they take neither. */
export function optionsOf(
  { options: ofClass }: Pick<DeclaredController, 'options'>,
  method: DeclaredMethod,
  route: DeclaredRoute,
): DeclaredOptions {
  const said = nearest(ofClass, method.options)
  const isEndless = route.websocket || answersEvents(method)
  return {
    ...said,
    limit: route.verb === 'OPTIONS' ? method.options.limit : said.limit,
    timeoutSeconds: isEndless ? null : said.timeoutSeconds,
  }
}
