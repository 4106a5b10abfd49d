/** Seals what instances tell each other through a database that others may connect to: any role there can listen and speak. It says
 *  who spoke and hides nothing. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const label = 'acmcp bus v1\n'
/** Of the seal, before the text. */
const sealLength = 43

export interface BusSeal {
  seal(text: string): string
  /** What was sealed, or null when it is not by one who knows a secret. */
  open(sealed: string): string | null
}

/** `secrets` rotate: the first seals, all open. */
export function busSeal(secrets: readonly string[]): BusSeal {
  const keys = secrets.map((secret) => createHmac('sha256', secret).update(label).digest())
  const sealOf = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
  return {
    seal(text) {
      const [key] = keys
      if (key === undefined) throw new Error('a bus between instances needs a secret')
      return sealOf(key, text).toString('base64url') + text
    },
    open(sealed) {
      const [sent, text] = [Buffer.from(sealed.slice(0, sealLength), 'base64url'), sealed.slice(sealLength)]
      const isOurs = keys.some((key) => sent.length === 32 && timingSafeEqual(sealOf(key, text), sent))
      return isOurs ? text : null
    },
  }
}
