/** What stands in the trail in place of the arguments of a call: the same arguments have the same digest, and nobody without
 *  the key can try what they may have been. */
import { createHmac, hash } from 'node:crypto'

export type DigestOf = (args: Readonly<Record<string, unknown>>) => string

/** So that what the secret signs elsewhere is no digest. */
const label = 'acmcp audit arguments v1\n'

/** HMAC-SHA-256 over canonical JSON; its key is the HMAC-SHA-256 of our label under `secret`. */
export function argumentDigest(secret: string): DigestOf {
  const digestOf = shortHmac(createHmac('sha256', secret).update(label).digest())
  return (args) => digestOf(canonicalJson(args, 0))
}

const [blockBytes, digestBytes, longestShort] = [64, 32, 8192]

/** HMAC-SHA-256 (RFC 2104) of texts, in lower-case hex. A short one is hashed in place, twice at one go: half the time of
 *  `createHmac`, which makes an object for each. Nothing of it stays. `key` is shorter than a block. */
function shortHmac(key: Uint8Array): (text: string) => string {
  const inner = padded(key, 0x36, longestShort)
  const outer = padded(key, 0x5c, digestBytes)
  return (text) => {
    if (text.length * 3 > longestShort) return createHmac('sha256', key).update(text).digest('hex')
    const end = blockBytes + inner.write(text, blockBytes)
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), blockBytes, 'binary')
    inner.fill(0, blockBytes, end)
    return hash('sha256', outer, 'hex')
  }
}

function padded(key: Uint8Array, pad: number, room: number): Buffer {
  const block = Buffer.alloc(blockBytes + room).fill(pad, 0, blockBytes)
  for (const [index, byte] of key.entries()) block[index] = byte ^ pad
  return block
}

/** How deep functions call themselves. */
const deepest = 32

/** A value of JSON as RFC 8785 has it: without blanks, names in the order of their UTF-16 units. */
function canonicalJson(value: unknown, depth: number): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (depth === deepest) return deepCanonicalJson(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${canonicalJson(item, depth + 1)}`
    return `[${text}]`
  }
  for (const name of Object.keys(value).sort())
    text += `${text === '' ? '' : ','}${quoted(name)}:${canonicalJson(Reflect.get(value, name), depth + 1)}`
  return `{${text}}`
}

/** To look at a short text costs a third of `JSON.stringify`. */
const isPlain = /^[ !#-[\]-~]*$/

const quoted = (text: string): string => (isPlain.test(text) ? `"${text}"` : JSON.stringify(text))

/** Text that stands in the document as it is. */
class Verbatim {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const [comma, endOfList, endOfObject] = [new Verbatim(','), new Verbatim(']'), new Verbatim('}')]

/** The same, not recursive: a caller decides how deep arguments are. */
function deepCanonicalJson(value: object): string {
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
