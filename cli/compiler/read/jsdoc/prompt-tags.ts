/** The grammar of `@mcp resource [uri=…]`, `@complete argument of=name` and, of a class, `@mcp skill [when to use it]`. */

import type { Skill } from '../../ir/model.ts'
import type { DeclaredCompletion, DeclaredMcp } from '../../ir/source-model.ts'
import type { Source } from '../program/program.ts'
import { refuse, type Tag } from './doc-comment.ts'

/** `resource [uri=notes://{id}]` */
export function readResourceWords(source: Source, mcp: DeclaredMcp, tag: Tag): DeclaredMcp {
  if (mcp.resource !== null) refuse(source, tag, 'says resource twice', 'Remove one of the two.')
  const [, written] = /^resource(?:\s+uri=(\S+))?$/.exec(tag.text) ?? [undefined, null]
  if (written === null) {
    refuse(
      source,
      tag,
      `cannot read '${tag.text}'`,
      'Write @mcp resource, or with its own address @mcp resource uri=notes://{id}.',
    )
    return mcp
  }
  const why = written === undefined ? null : whyNoTemplate(written)
  if (why !== null) {
    refuse(
      source,
      tag,
      `'${written}' ${why}`,
      'Write a scheme and the arguments in braces, such as notes://{id}, {+path} for a value with slashes, {?page,size} at its end.',
    )
  }
  return { ...mcp, resource: { uri: why === null ? (written ?? null) : null, at: tag.at } }
}

/** `{name}`, `{+name}`, and `{?name,name}` at the end. Source: RFC 6570, levels 1 to 3. */
const expression = /\{(?:\+?\w+|\?\w+(?:,\w+)*(?=\}$))\}/g

function whyNoTemplate(uri: string): string | null {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uri)) return 'has no scheme'
  const plain = uri.replace(expression, '')
  if (/[{}]/.test(plain)) return 'has braces that cannot be read'
  if (/\}\{[^?]/.test(uri)) return 'has two arguments with nothing between them'
  const names = [...uri.matchAll(/\w+(?=[^{}]*\})/g)].map(([name]) => name)
  return new Set(names).size < names.length ? 'names an argument twice' : null
}

/** `@complete argument of=name`, each of a method. */
export function readCompletions(source: Source, tags: readonly Tag[]): readonly DeclaredCompletion[] {
  return tags
    .filter(({ name }) => name === 'complete')
    .flatMap((tag) => {
      const [, argument, of] = /^(\w+)\s+of=([\w$-]+)$/.exec(tag.text) ?? []
      if (argument !== undefined && of !== undefined) return [{ argument, of, at: tag.at }]
      const why = tag.text === '' ? 'says nothing' : `cannot read '${tag.text}'`
      refuse(
        source,
        tag,
        why,
        'Write the argument, and the prompt or resource that has it: @complete city of=plan_trip',
      )
      return []
    })
}

export const saysSkill = ({ name, text }: Tag): boolean => name === 'mcp' && /^skill\b/.test(text)

/** `skill [text]`; null = the class has none. */
export function readSkill(source: Source, tags: readonly Tag[]): Skill | null {
  const [tag, second] = tags.filter(saysSkill)
  if (second !== undefined) refuse(source, second, 'says skill twice', 'Remove one of the two.')
  return tag === undefined ? null : { when: tag.text.slice('skill'.length).trim(), at: tag.at }
}
