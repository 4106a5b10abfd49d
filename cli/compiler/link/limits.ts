/** How often and how long a route may be called, and how calls of it are recorded. Source: language.md, Scopes, limits, audit. */

import { nearest } from '../ir/limits.ts'
import type { DeclaredLimits } from '../ir/model.ts'
import type { DeclaredController, DeclaredMethod, DeclaredRoute } from '../ir/source-model.ts'
import { answersEvents } from './tools.ts'

/** The method's own word, else that of the nearest class. Preflights carry nobody's credentials, and what goes on as long as its client
 *  wants has no time: of a class they take neither. */
export function limitsOf(
  { limits: ofClass }: Pick<DeclaredController, 'limits'>,
  method: DeclaredMethod,
  { verb, websocket }: DeclaredRoute,
): DeclaredLimits {
  const said = nearest(ofClass, method.limits)
  const isEndless = websocket || answersEvents(method)
  return {
    ...said,
    limit: verb === 'OPTIONS' ? method.limits.limit : said.limit,
    timeoutSeconds: isEndless ? null : said.timeoutSeconds,
  }
}
