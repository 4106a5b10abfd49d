/** What stands in the trail in place of the arguments of a call: the same arguments have the same digest, and nobody without
 *  the key can try what they may have been. */
import { createHmac } from 'node:crypto'

export type DigestOf = (args: Readonly<Record<string, unknown>>) => string

/** So that what the secret signs elsewhere is no digest. */
const label = 'acmcp audit arguments v1\n'

/** HMAC-SHA-256 in lower-case hex over canonical JSON; its key is the HMAC-SHA-256 of our label under `secret`. */
export function argumentDigest(secret: string): DigestOf {
  const key = createHmac('sha256', secret).update(label).digest()
  return (args) => {
    const hmac = createHmac('sha256', key)
    writeCanonicalJson(args, (text) => hmac.update(text))
    return hmac.digest('hex')
  }
}

/** Longer texts are handed on, so that a large document is in memory in parts. */
const chunkLength = 16_384

/** An open list or object: `names` are null for a list. */
interface Container {
  readonly value: object
  readonly names: readonly string[] | null
  readonly length: number
  next: number
}

/** A value of JSON as RFC 8785 has it: without blanks, names in the order of their UTF-16 units. Not recursive: a caller decides how deep
 *  arguments are. */
function writeCanonicalJson(value: unknown, write: (text: string) => void): void {
  const open: Container[] = []
  let text = ''
  let current = value
  for (;;) {
    if (typeof current === 'object' && current !== null) {
      const container = containerOf(current)
      text += container.names === null ? '[' : '{'
      open.push(container)
    } else text += JSON.stringify(current) ?? 'null'
    let container = open.at(-1)
    while (container !== undefined && container.next === container.length) {
      text += container.names === null ? ']' : '}'
      open.pop()
      container = open.at(-1)
    }
    if (text.length > chunkLength || container === undefined) {
      write(text)
      text = ''
    }
    if (container === undefined) return
    const name = container.names?.[container.next] ?? container.next
    text += `${container.next > 0 ? ',' : ''}${container.names === null ? '' : `${JSON.stringify(name)}:`}`
    current = Reflect.get(container.value, name)
    container.next += 1
  }
}

function containerOf(value: object): Container {
  const names = Array.isArray(value) ? null : Object.keys(value).sort()
  return { value, names, length: Array.isArray(value) ? value.length : (names?.length ?? 0), next: 0 }
}
