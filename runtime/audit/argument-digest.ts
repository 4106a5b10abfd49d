/** What stands in the trail in place of the arguments of a call: the same arguments have the same digest, and nobody without
 *  the key can try what they may have been. */
import { createHmac } from 'node:crypto'

export type DigestOf = (args: Readonly<Record<string, unknown>>) => string

/** So that what the secret signs elsewhere is no digest. */
const label = 'acmcp audit arguments v1\n'

/** HMAC-SHA-256 over canonical JSON; its key is the HMAC-SHA-256 of our label under `secret`. */
export function argumentDigest(secret: string): DigestOf {
  const key = createHmac('sha256', secret).update(label).digest()
  return (args) => createHmac('sha256', key).update(canonicalJson(args)).digest('hex')
}

/** Text that stands in the document as it is. */
class Verbatim {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const [comma, endOfList, endOfObject] = [new Verbatim(','), new Verbatim(']'), new Verbatim('}')]

/** A value of JSON as RFC 8785 has it: without blanks, names in the order of their UTF-16 units. Not recursive: a caller decides
 *  how deep arguments are. */
function canonicalJson(value: unknown): string {
  const parts: string[] = []
  const waiting: unknown[] = [value] // the last is next
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (next instanceof Verbatim) parts.push(next.text)
    else if (Array.isArray(next)) openList(next, parts, waiting)
    else if (typeof next === 'object' && next !== null) openObject(next, parts, waiting)
    else parts.push(JSON.stringify(next) ?? 'null')
  }
  return parts.join('')
}

function openList(list: readonly unknown[], parts: string[], waiting: unknown[]): void {
  parts.push('[')
  waiting.push(endOfList)
  for (let index = list.length - 1; index >= 0; index -= 1) {
    waiting.push(list[index])
    if (index > 0) waiting.push(comma)
  }
}

function openObject(object: object, parts: string[], waiting: unknown[]): void {
  parts.push('{')
  waiting.push(endOfObject)
  const names = Object.keys(object).sort()
  for (let index = names.length - 1; index >= 0; index -= 1) {
    const name = names[index] ?? ''
    waiting.push(Reflect.get(object, name), new Verbatim(`${index > 0 ? ',' : ''}${JSON.stringify(name)}:`))
  }
}
