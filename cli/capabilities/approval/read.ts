/** The grammar of `@approval [unless=session] Delete order {id}`: options, then a sentence; or `none` alone. */

import { didYouMean } from '../../compiler/diagnostics/similar-names.ts'
import { badTag } from '../../compiler/diagnostics/source-diagnostics.ts'
import type { At } from '../../compiler/ir/schema.ts'
import type { Reporter, Tag, TagLine } from '../../compiler/read/jsdoc/tag.ts'
import type { TagOwner } from '../../compiler/read/language.ts'
import type { ApprovalTag, Placeholder } from './tag.ts'

/** A class does not lift what another one asks for. */
export function readApproval(source: Reporter, tag: Tag, { isClass, depth }: TagOwner): ApprovalTag | null {
  const read = { ...readTag(source, tag), depth }
  if (!isClass || !read.isNone) return read
  const hint = 'Write it on each method that is to run without an approval.'
  source.report(badTag(tag.at, 'approval', "a class does not take 'none'", hint))
  return null
}

function readTag(source: Reporter, tag: Tag): Omit<ApprovalTag, 'depth'> {
  const all = tag.lines.flatMap(wordsOf)
  const sentenceBegins = all.findIndex(({ text }) => !isOption(text))
  const [options, words] =
    sentenceBegins < 0 ? [all, []] : [all.slice(0, sentenceBegins), all.slice(sentenceBegins)]
  const said = readOptions(source, options)
  const [first, second] = words
  const isNone = first?.text === 'none'
  if (isNone && (second !== undefined || options.length > 0)) {
    const hint = 'Remove it, or all the others: it says that nobody is asked. A sentence begins otherwise.'
    report(source, first.at, ["'none' stands beside more", hint])
  }
  const sentence = isNone ? '' : sentenceOf(tag.lines, first)
  if (!isNone) judgeSentence(source, tag, { sentence, words })
  const placeholders = tag.lines.flatMap((line) => placeholdersIn(source, line))
  return { ...said, sentence, isNone, placeholders: isNone ? [] : placeholders, at: tag.at }
}

/** What options look like, in any spelling. */
const isOption = (text: string): boolean => /^[A-Za-z]+=/.test(text)

const forSession = 'unless=session'

function readOptions(source: Reporter, options: readonly TagLine[]): Pick<ApprovalTag, 'unless'> {
  const [first, ...more] = options.filter(({ text }) => text === forSession)
  for (const { at } of more) report(source, at, ['unless= stands twice', 'Remove one of the two.'])
  for (const { text, at } of options) if (text !== forSession) report(source, at, unreadable(text))
  return { unless: first === undefined ? null : 'session' }
}

const unreadable = (text: string): readonly [why: string, hint: string] =>
  text === 'via=form'
    ? ["'via=form' is no option any more", 'Remove it: the user decides on the page of the approval.']
    : [
        `cannot read '${text}'`,
        `Write ${forSession}, without blanks, then the sentence.${didYouMean(text, [forSession])}`,
      ]

/** Lines are joined by blanks; what stands before the first word are options. */
function sentenceOf(lines: readonly TagLine[], first: TagLine | undefined): string {
  if (first === undefined) return ''
  const [line, ...rest] = lines.slice(lines.findIndex(({ at }) => at.line === first.at.line))
  const start = first.at.column - (line?.at.column ?? 0)
  return [line?.text.slice(start) ?? '', ...rest.map(({ text }) => text)].join(' ').trim()
}

const maxLength = 300

/** Those that turn the direction of what follows would show another sentence. */
const controls = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u

interface Written {
  readonly sentence: string
  readonly words: readonly TagLine[]
}

function judgeSentence(source: Reporter, tag: Tag, { sentence, words }: Written): void {
  const { length } = [...sentence]
  const [first] = words
  if (first === undefined) {
    const hint = 'Write what a person is asked to allow, such as @approval Delete order {id}'
    report(source, tag.at, ['has no sentence', hint])
  } else if (length > maxLength) {
    const why = `the sentence has ${length} characters, and ${maxLength} are room enough`
    report(source, first.at, [why, 'Shorten it: the page shows every argument beside it.'])
  }
  for (const word of words) judgeWord(source, word)
}

function judgeWord(source: Reporter, { text, at }: TagLine): void {
  const control = text.search(controls)
  if (control >= 0) {
    const place = { ...at, column: at.column + control }
    report(source, place, ['the sentence has a control character', 'Remove it, or write a blank.'])
  }
  if (!/^unless=/.test(text)) return
  report(source, at, [`'${text}' stands in the sentence`, 'Move it before the first word: it is an option.'])
}

/** Every brace belongs to a placeholder: what is none would be shown as it stands. */
function placeholdersIn(source: Reporter, { text, at }: TagLine): readonly Placeholder[] {
  return [...text.matchAll(/\{([^{}]*)\}|[{}]/g)].flatMap(({ 0: whole, 1: name, index }) => {
    const place = { ...at, column: at.column + index }
    if (name !== undefined && name !== '') return [{ name, at: place }]
    report(source, place, [
      whole === '{}' ? '{} names no parameter' : `'${whole}' belongs to no placeholder`,
      'Write {name} on one line, with the public name of a parameter; a sentence has no other braces.',
    ])
    return []
  })
}

/** What stands between blanks; control characters are told by themselves. */
const wordsOf = ({ text, at }: TagLine): readonly TagLine[] =>
  [...text.matchAll(/[^ ]+/g)].map((found) => ({
    text: found[0],
    at: { ...at, column: at.column + found.index },
  }))

const report = (source: Reporter, at: At, [why, hint]: readonly [why: string, hint: string]): void =>
  source.report(badTag(at, 'approval', why, hint))
