/** The grammar of `@scope`: names of scopes and `unless=session,key`, or `none` alone. */

import { didYouMean } from '../../diagnostics/similar-names.ts'
import { badTag, type MessageAndHint } from '../../diagnostics/source-diagnostics.ts'
import type { ScopeName } from '../../ir/model.ts'
import type { ScopeTag } from '../../ir/source-model.ts'
import type { Source } from '../program/program.ts'
import { refuse, type Tag } from './tag.ts'

/** The `@scope` tags of a method; `none` lifts what its class asks for, and stands alone. */
export function readMethodScopes(source: Source, tags: readonly Tag[], depth: number): readonly ScopeTag[] {
  const own = tags.filter(({ name }) => name === 'scope')
  const isAlone = own.flatMap(wordsOf).length === 1
  return own.map((tag) => {
    const { none, ...read } = readTag(source, tag)
    if (none !== null && !isAlone) {
      refuseAt(source, tag, none, [
        "'none' stands beside more",
        'Remove it, or all the others: it says that the route asks for nothing.',
      ])
    }
    return { ...read, isNone: none !== null, depth }
  })
}

/** Those of a class. */
export function readClassScopes(source: Source, tags: readonly Tag[], depth: number): readonly ScopeTag[] {
  const own = tags.filter(({ name }) => name === 'scope')
  return own.map((tag) => {
    const { none, ...read } = readTag(source, tag)
    if (none !== null) {
      const hint = 'Write it on each method that is to ask for nothing.'
      refuseAt(source, tag, none, ["a class does not take 'none'", hint])
    }
    return { ...read, isNone: false, depth }
  })
}

interface ReadTag extends Omit<ScopeTag, 'isNone' | 'depth'> {
  /** Where it says `none`. */
  readonly none: ScopeName | null
}

function readTag(source: Source, tag: Tag): ReadTag {
  const all = wordsOf(tag)
  const options = all.filter(({ name }) => name.startsWith(unlessIs))
  const written = all.filter((name) => !options.includes(name))
  for (const scopeName of written.filter(({ name }) => name === 'api')) {
    refuseAt(source, tag, scopeName, [
      "'api' is what every client has that asks for nothing more",
      'Write a scope that app/config.ts declares.',
    ])
  }
  for (const option of options.slice(1)) {
    refuseAt(source, tag, option, ['unless= stands twice', 'Write unless=session,key, without blanks.'])
  }
  const none = written.find(({ name }) => name === 'none') ?? null
  if (written.length === 0) {
    refuse(source, tag, 'names no scope', 'Write a scope that app/config.ts declares, or none.')
  }
  return {
    names: written.filter(({ name }) => name !== 'none' && name !== 'api'),
    unless: options.slice(0, 1).flatMap((option) => readUnless(source, tag, option)),
    none,
    at: tag.at,
  }
}

const unlessIs = 'unless='
const ways = ['session', 'key'] as const

function readUnless(source: Source, tag: Tag, option: ScopeName): ScopeTag['unless'] {
  return wordsIn(option.name.slice(unlessIs.length), /(?<=^|,)[^,]*/g).flatMap(({ text, index }) => {
    const { file, line, column } = option.at
    const at = { file, line, column: column + unlessIs.length + index }
    const word = ways.find((way) => way === text)
    if (word !== undefined) return [{ word, at }]
    const hint = `Write unless=session, unless=key or unless=session,key, without blanks.${didYouMean(text, ways)}`
    const why = text === '' ? 'unless= lacks a word' : `unless= does not know '${text}'`
    refuseAt(source, tag, { name: text, at }, [why, hint])
    return []
  })
}

/** The words of a tag, each with its place. */
function wordsOf({ text, textAt: { file, line, column } }: Tag): readonly ScopeName[] {
  return wordsIn(text, /\S+/g).map((word) => ({
    name: word.text,
    at: { file, line, column: column + word.index },
  }))
}

const wordsIn = (
  text: string,
  pattern: RegExp,
): readonly { readonly text: string; readonly index: number }[] =>
  [...text.matchAll(pattern)].map((found) => ({ text: found[0], index: found.index }))

const refuseAt = (source: Source, tag: Tag, { at }: ScopeName, [why, hint]: MessageAndHint): void =>
  source.report(badTag(at, tag.name, why, hint))
