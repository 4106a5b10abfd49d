/** The rules of prompts, resources and completions. */

import { headerNeverSent } from '../diagnostics/model-diagnostics.ts'
import {
  completedTwice,
  completesBlindly,
  completesNoArgument,
  completesNothing,
  completionNeeds,
  noTextArgument,
  offerTextMissing,
  uriLacksArgument,
  uriNamesNoArgument,
  uriTaken,
} from '../diagnostics/prompt-diagnostics.ts'
import { didYouMean } from '../diagnostics/similar-names.ts'
import { type Diagnostic, place } from '../diagnostics/source-diagnostics.ts'
import type { Controller, Model, Resource } from '../ir/model.ts'
import { type Completing, completionsOf, type OfferedAction, offersOf } from '../schema/completions.ts'
import { isTextual } from '../schema/text-values.ts'

/** Everything that is wrong with them; nothing is looked at where there are none. */
export function checkPrompts(
  controllers: readonly Controller[],
  schemas: Model['schemas'],
): readonly Diagnostic[] {
  const offers = offersOf(controllers)
  const completing = completionsOf(controllers)
  if (offers.length === 0 && completing.length === 0) return []
  return [
    ...offers.flatMap((offer) => argumentsAreTexts(offer, schemas)),
    ...offers.flatMap(hasText),
    ...offers.flatMap(headersAreSent),
    ...offers.flatMap(({ action: { resource }, kind }) =>
      kind === 'resource' && resource !== null ? uriFits(resource) : [],
    ),
    ...urisAreDistinct(offers),
    ...completing.flatMap((item) => completionFits(item, offers)),
    ...completionsAreDistinct(completing),
  ]
}

/** What a resource does not name in its address is left out of every read, and may be anything. */
function argumentsAreTexts(
  { kind, entry, action }: OfferedAction,
  schemas: Model['schemas'],
): readonly Diagnostic[] {
  const named = kind === 'resource' ? variablesOf(action.resource?.uri ?? '') : null
  return entry.arguments
    .filter(({ argument }) => named === null || named.includes(argument))
    .filter(({ param }) => param.from !== 'body' || action.verb !== 'GET') // that is a mistake of its own
    .filter(({ param }) => param.from === 'body' || !isTextual(param.schema, schemas))
    .map(({ argument, param }) => noTextArgument(param.at, entry.name, argument))
}

const hasText = ({ kind, entry, action }: OfferedAction): readonly Diagnostic[] =>
  entry.description === '' && action.tool === null ? [offerTextMissing(action.at, kind, entry.name)] : []

/** A tool's are told by the rule of tools. */
function headersAreSent({ entry, action, controller }: OfferedAction): readonly Diagnostic[] {
  if (action.tool !== null) return []
  return entry.missing.map((param) =>
    headerNeverSent(param.at, param.wireName, [entry.name], controller.symbol.name),
  )
}

/** The arguments that an address names. */
const variablesOf = (uri: string): readonly string[] =>
  [...uri.matchAll(/\{[+?]?([\w,]+)\}/g)].flatMap(([, names = '']) => names.split(','))

function uriFits({ uri, name, at, arguments: all }: Resource): readonly Diagnostic[] {
  const variables = variablesOf(uri)
  const known = all.map(({ argument }) => argument)
  return [
    ...variables
      .filter((variable) => !known.includes(variable))
      .map((variable) => uriNamesNoArgument(at, name, variable, didYouMean(variable, known))),
    ...all
      .filter(({ argument, param }) => param.required && !variables.includes(argument))
      .map(({ argument }) => uriLacksArgument(at, name, argument)),
  ]
}

/** Two addresses are one where only the names of their arguments differ. */
function urisAreDistinct(offers: readonly OfferedAction[]): readonly Diagnostic[] {
  const first = new Map<string, Resource>()
  return offers.flatMap(({ kind, action: { resource } }) => {
    if (kind !== 'resource' || resource === null) return []
    const key = resource.uri.replace(/\{[^}]*\}/g, '{}')
    const other = first.get(key)
    if (other !== undefined)
      return [uriTaken(resource.at, resource.uri, `${other.name} (${place(other.at)})`)]
    first.set(key, resource)
    return []
  })
}

function completionFits(completing: Completing, offers: readonly OfferedAction[]): readonly Diagnostic[] {
  const { completion, action, target } = completing
  const { argument, of, at } = completion
  if (target === null) {
    const names = offers.map(({ entry }) => entry.name)
    return [completesNothing(at, of, didYouMean(of, names))]
  }
  const { entry } = target
  const known = entry.arguments.map((each) => each.argument)
  if (!known.includes(argument)) {
    return [completesNoArgument(at, argument, entry.name, didYouMean(argument, known))]
  }
  const { method: member } = action
  const taken = action.params.some(({ wireName }) => wireName === argument)
  return [
    ...(taken ? [] : [completesBlindly(at, member, argument)]),
    ...action.inputs
      .filter(({ wireName, required, from }) => required && from !== 'header' && wireName !== argument)
      .map((param) => completionNeeds(param.at, member, param.wireName)),
  ]
}

function completionsAreDistinct(completing: readonly Completing[]): readonly Diagnostic[] {
  const first = new Map<string, Completing>()
  return completing.flatMap((item) => {
    const { completion, target } = item
    if (target === null) return []
    const key = `${target.kind} ${target.entry.name} ${completion.argument}`
    const other = first.get(key)
    if (other === undefined) {
      first.set(key, item)
      return []
    }
    const by = `${other.action.method} (${place(other.completion.at)})`
    return [completedTwice(completion.at, completion.argument, target.entry.name, by)]
  })
}
