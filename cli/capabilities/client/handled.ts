/** What handlers answer: mostly the same for every route of every controller, so that it is declared once. */
import type { Action, Controller, Model } from '../../compiler/ir/model.ts'
import { freeName } from '../../compiler/ir/safe-names.ts'
import { answersData, answerTypes, handledBy } from './answers.ts'
import { type TypeNames, unionText } from './type-text.ts'

export interface Handled {
  /** What tells it from others. */
  readonly key: string
  /** The class that has the last of the handlers. */
  readonly owner: string
  readonly types: string
  /** How they are read, as JSON. */
  readonly data: string
}

export interface NamedHandled extends Handled {
  /** Of the type. */
  readonly name: string
}

/** By their keys. */
export type AllHandled = ReadonlyMap<string, NamedHandled>

/** What the handlers of a route answer; null = there are none. */
export function handledOf(action: Action, names: TypeNames, schemas: Model['schemas']): Handled | null {
  const answers = handledBy(action)
  if (answers.length === 0) return null
  const types = unionText(answerTypes(answers, names))
  const data = JSON.stringify(answersData(answers, schemas))
  const owner = action.handlers.at(-1)?.owner.name ?? ''
  return { key: JSON.stringify([owner, types, data]), owner, types, data }
}

/** Those of the routes of a controller, each once. */
export function handledIn(
  { actions }: Controller,
  names: TypeNames,
  schemas: Model['schemas'],
): readonly Handled[] {
  const all = actions.flatMap((action) => handledOf(action, names, schemas) ?? [])
  return [...new Map(all.map((handled) => [handled.key, handled])).values()]
}

/** Each once, under a name of its own. */
export function nameHandled(all: readonly Handled[], names: TypeNames): AllHandled {
  const taken = new Set<string>()
  const named = new Map<string, NamedHandled>()
  for (const handled of all) {
    if (named.has(handled.key)) continue
    const isTaken = (other: string): boolean => taken.has(other) || names.isTaken(other)
    const name = freeName(`${handled.owner}Failures`, isTaken)
    taken.add(name)
    named.set(handled.key, { ...handled, name })
  }
  return named
}

export const handledText = ({ name, types }: NamedHandled): string => `\nexport type ${name} = ${types}\n`
