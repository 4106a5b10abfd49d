/** What stands in the trail in place of the arguments of a call: the same arguments have the same digest, and nobody without
 *  the key can try what they may have been. */
import { createHmac } from 'node:crypto'
import { writeCanonicalJson } from '../canonical-json.ts'

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
