/** Doc comments of printed declarations. */
import { fullText } from '../../compiler/ir/docs.ts'
import type { Doc } from '../../compiler/ir/schema.ts'

/** The comment above a declaration, with `more` as its last paragraph; '' where there is nothing to say. */
export function docText(doc: Doc, more: string): string {
  const parts = [fullText(doc), ...(doc.deprecated ? ['@deprecated'] : []), more].filter(
    (part) => part !== '',
  )
  const [first = ''] = parts
  if (first === '') return ''
  const lines = parts.join('\n\n').replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `/** ${lines.join('')} */\n`
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}
