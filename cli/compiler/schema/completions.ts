/** Which method completes which argument: what check judges and emit prints. */
import type { Action, Completion, Controller, Prompt } from '../ir/model.ts'

/** A prompt or a resource, and the action that answers it. */
export interface OfferedAction {
  readonly kind: 'prompt' | 'resource'
  readonly entry: Prompt
  readonly action: Action
  readonly controller: Controller
}

/** One `@complete`, and what it speaks of; null = nothing that there is. */
export interface Completing {
  readonly completion: Completion
  readonly action: Action
  readonly target: OfferedAction | null
}

/** All that may be offered to MCP clients beside tools. */
export const actionsOf = ({ actions, mcpOnly }: Controller): readonly Action[] =>
  mcpOnly.length === 0 ? actions : [...actions, ...mcpOnly]

/** The prompts and resources of all controllers; of a route that is both, both. */
export function offersOf(controllers: readonly Controller[]): readonly OfferedAction[] {
  return controllers.flatMap((controller) =>
    actionsOf(controller).flatMap((action): readonly OfferedAction[] => [
      ...(action.prompt === null
        ? []
        : [{ kind: 'prompt', entry: action.prompt, action, controller } as const]),
      ...(action.resource === null
        ? []
        : [{ kind: 'resource', entry: action.resource, action, controller } as const]),
    ]),
  )
}

/** Every `@complete` of the application. A method of the same class is meant before a name. */
export function completionsOf(controllers: readonly Controller[]): readonly Completing[] {
  const completing = controllers.flatMap((controller) =>
    actionsOf(controller).flatMap((action) =>
      action.completes.map((completion) => ({ controller, action, completion })),
    ),
  )
  if (completing.length === 0) return []
  const offers = offersOf(controllers)
  return completing.map(({ controller, action, completion }) => {
    const { of } = completion
    const own = offers.find((offer) => offer.controller === controller && offer.action.method === of)
    return { completion, action, target: own ?? offers.find(({ entry }) => entry.name === of) ?? null }
  })
}
