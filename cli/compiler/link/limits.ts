/** How often and how long a route may be called, and how calls of it are recorded. Source: issue 17, Deliver 2 and 6. */

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
  const { limits: own } = method
  const isEndless = websocket || answersEvents(method)
  return {
    limit: own.limit ?? (verb === 'OPTIONS' ? null : ofClass.limit),
    timeoutSeconds: isEndless ? null : (own.timeoutSeconds ?? ofClass.timeoutSeconds),
    audit: own.audit ?? ofClass.audit,
  }
}
