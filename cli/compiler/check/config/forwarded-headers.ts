/** The rules about headers that tool calls carry, and about those that they do not. */

import { whyNeverForwarded } from '../../../../runtime/caller-headers.ts'
import { headerNeverForwarded, headerNotForwarded } from '../../diagnostics/config-diagnostics.ts'
import { type Diagnostic, exactPlace, firstAndMore } from '../../diagnostics/source-diagnostics.ts'
import type { Action, Controller } from '../../ir/model.ts'
import type { Declared } from '../../ir/source-model.ts'
import type { Param } from '../../ir/steps.ts'

export function checkForwardedHeaders(
  { forwardHeaders }: Declared,
  controllers: readonly Controller[],
): readonly Diagnostic[] {
  return [
    ...forwardHeaders.flatMap(({ name, at }) => {
      const why = whyNeverForwarded(name)
      return why === null ? [] : [headerNeverForwarded(at, name, why)]
    }),
    ...headersThatAreLost(controllers),
  ]
}

interface Lost {
  readonly param: Param
  /** What MCP clients call the routes that it covers. */
  readonly names: string[]
}

/** Once for each parameter, however many routes its filter covers. */
function headersThatAreLost(controllers: readonly Controller[]): readonly Diagnostic[] {
  const found = new Map<string, Lost>()
  for (const action of controllers.flatMap(({ actions, mcpOnly }) => [...actions, ...mcpOnly])) {
    const offer = offeredAs(action)
    for (const param of offer?.unsent ?? []) {
      const key = `${exactPlace(param.at)} ${param.wireName}`
      const known = found.get(key) ?? { param, names: [] }
      found.set(key, known)
      known.names.push(offer?.name ?? '')
    }
  }
  return [...found.values()].map(({ param, names }) =>
    headerNotForwarded(param.at, param.wireName, firstAndMore(names)),
  )
}

const offeredAs = ({
  tool,
  prompt,
  resource,
}: Action): Pick<NonNullable<Action['tool']>, 'name' | 'unsent'> | null => tool ?? prompt ?? resource
