/** The grammar of `@mcp resource [uri=…]`, `@mcp name=…` and `@complete argument of=name`. */

import { explicitNameInvalid } from '../../../diagnostics/name-diagnostics.ts'
import type { DeclaredCompletion, DeclaredMcp } from '../../../ir/source-model.ts'
import type { Source } from '../../program/program.ts'
import { placeOfWord, refuse, type Tag } from '../tag.ts'

/** `resource [uri=notes://{id}]` */
export function readResourceWords(source: Source, mcp: DeclaredMcp, tag: Tag): DeclaredMcp {
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
      const [, argument, of] = /^([\p{ID_Continue}$]+)\s+of=([\p{ID_Continue}$-]+)$/u.exec(tag.text) ?? []
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

/** One word: `name=greet`. */
export function readName(source: Source, mcp: DeclaredMcp, tag: Tag, word: string): DeclaredMcp {
  const text = word.slice('name='.length)
  if (text === '') {
    refuse(source, tag, 'gives no name', 'Write it behind the word: @mcp name=greet')
    return mcp
  }
  const why = whyNoName(text)
  if (why === null) return { ...mcp, name: { text, at: tag.at } }
  source.report(explicitNameInvalid(placeOfWord(tag, word), text, why))
  return mcp
}

/** Source: rules.md, tool names: MCP 2025-11-25 allows dots and 128 characters, clients do not. */
function whyNoName(text: string): string | null {
  if (text.length > 64) return `has ${text.length} characters, more than 64`
  const [strange] = /[^A-Za-z0-9_-]/u.exec(text) ?? []
  return strange === undefined ? null : `has the character ${JSON.stringify(strange)}`
}
