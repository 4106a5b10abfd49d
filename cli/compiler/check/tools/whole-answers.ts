/** The rule that is asked for (`--strict answers`): of what a tool answers its type declares all. */

import type { Memos } from '../../cache/memoize.ts'
import { answerPassesWhole } from '../../diagnostics/answer-diagnostics.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import type { Model } from '../../ir/model.ts'
import { answerFactsOf } from '../../schema/answer-facts.ts'

export function toolsAnswerDeclared({ controllers, schemas }: Model, memos: Memos): readonly Diagnostic[] {
  return controllers.flatMap((controller) => {
    const facts = answerFactsOf(memos, controller, schemas)
    return controller.actions.flatMap(({ tool, at }, index) => {
      const [first] = facts[index]?.whole ?? []
      if (first === undefined || tool === null) return []
      return [answerPassesWhole(at, first.path || 'the answer', tool.name, first.why)]
    })
  })
}
