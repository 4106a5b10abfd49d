/** The rule that is asked for (`--strict answers`): of what a tool answers its type declares all. */

import type { Memos } from '../../cache/memoize.ts'
import { wholeAnswer } from '../../diagnostics/answer-diagnostics.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import type { Model } from '../../ir/model.ts'
import { answerFactsOf } from '../../schema/answer-facts.ts'

export function toolsAnswerDeclared({ controllers, schemas }: Model, memos: Memos): readonly Diagnostic[] {
  return controllers.flatMap((controller) => {
    const facts = answerFactsOf(memos, controller, schemas)
    return controller.actions.flatMap(({ tool, at }, index) => {
      const [part] = tool === null ? [] : (facts[index]?.whole ?? [])
      return part === undefined || tool === null ? [] : [wholeAnswer(at, tool.name, part)]
    })
  })
}
